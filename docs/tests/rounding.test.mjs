// The site writes figures as the README does: tests/site/test_measured.py reads the same cases.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { share, short } from "../src/lib/rounding.ts";

const cases = JSON.parse(await readFile(new URL("rounding.json", import.meta.url), "utf8"));

for (const [name, write] of Object.entries({ short, share })) {
  test(`${name} writes each number as the README has it`, () => {
    assert.ok(cases[name].length > 5);
    for (const [number, text] of cases[name]) assert.equal(write(number), text);
  });
}
