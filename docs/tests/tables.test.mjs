// The tables of tests/data through the playground's module as WebAssembly, called as the page's worker calls it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { parse } from "smol-toml";
import { failed, Lexpool } from "../src/scripts/playground/module.ts";

const lexpool = await Lexpool.start(await readFile(new URL("../public/playground.wasm", import.meta.url)));

/** The cases of a table that run here. */
async function cases(name) {
  const { case: all } = parse(await readFile(new URL(`../../tests/data/${name}.toml`, import.meta.url), "utf8"));
  const found = all.filter(({ paths }) => paths?.includes("wasm") ?? true);
  assert.ok(found.length >= 20, `${name}.toml has ${found.length} cases for WebAssembly`);
  return found;
}

/** Compares those fields that the case has. */
function compare(given, found) {
  for (const [field, value] of Object.entries(found)) {
    if (field in given) assert.deepEqual(value, given[field], field);
  }
}

test("texts have the tokens of the table", async (t) => {
  for (const given of await cases("tokenizer")) {
    await t.test(given.name, () => {
      const { tokens } = lexpool.tokenize(given.text);
      compare(given, {
        words: tokens.map(({ text }) => text),
        spaces: tokens.map(({ space }) => space),
        norms: tokens.map(({ norm }) => norm.text),
        explain: tokens.map(({ rule }) => rule.name).filter((name) => name !== "SPACE"),
      });
    });
  }
});

test("patterns have the matches of the table, or its errors", async (t) => {
  for (const given of await cases("matcher")) {
    await t.test(given.name, () => {
      assert.ok(!failed(lexpool.tokenize(given.text)));
      const answer = lexpool.find(given.patterns.map((rule) => JSON.stringify(rule)).join("\n"));
      assert.equal(failed(answer), "invalid" in given, JSON.stringify(answer));
      // The place of an error begins with the line of its pattern.
      const found = failed(answer)
        ? { invalid: answer.error.faults.map(({ place }) => place.split(", ").slice(1).join(", ")) }
        : { matches: answer.matches.map(({ label, start, end }) => [label, start, end]) };
      compare(given, found);
    });
  }
});
