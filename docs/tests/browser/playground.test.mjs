// The playground in a browser: it must answer as the Python package does, and whatever it is given.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test from "node:test";
import { browsed, open } from "../site.mjs";

const CASES = JSON.parse(await readFile(new URL("../../src/data/playground-cases.json", import.meta.url), "utf8"));

const ANNOTATED = JSON.parse(
  await readFile(new URL("../../src/data/playground-annotation.json", import.meta.url), "utf8"),
);

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const site = browsed();

/** Opens the page and waits for its first answer. */
async function playground({ hash = "", ...options } = {}) {
  const context = await site.browser.newContext({ serviceWorkers: "block", ...options });
  const { page, seen } = await open(context, `${site.origin}/try/${hash}`);
  await page.locator("[data-answered]").waitFor();
  return { context, page, seen };
}

/** Does something and waits until it is answered. */
async function answered(page, act) {
  const before = await page.locator("[data-playground]").getAttribute("data-answered");
  await act();
  await page.waitForFunction(
    (before) => document.querySelector("[data-playground]").dataset.answered !== before,
    before,
  );
}

/** Does something and waits until the text is annotated and its tree is drawn. */
async function annotated(page, act) {
  await changed(page, "annotated", () => drawn(page, act));
}

/** Does something and waits until a tree is drawn. */
async function drawn(page, act) {
  await changed(page, "drawn", act);
}

async function changed(page, counter, act) {
  const count = () => page.evaluate((counter) => document.querySelector("[data-playground]").dataset[counter], counter);
  const before = await count();
  await act();
  await page.waitForFunction(
    ([counter, before]) => document.querySelector("[data-playground]").dataset[counter] !== before,
    [counter, before],
  );
}

/** Asks a worker of the page's own kind for the annotation of texts. */
async function annotate(page, seen, texts) {
  const worker = seen.requests.find((url) => /worker-[^/]*\.js$/.test(url));
  return page.evaluate(
    ([worker, module, pipeline, texts]) =>
      new Promise((done, fail) => {
        const annotations = [];
        const thread = new Worker(worker, { type: "module" });
        const next = () => {
          const text = texts[annotations.length];
          if (text === undefined) {
            thread.terminate();
            done(annotations);
          } else {
            thread.postMessage({ number: annotations.length, text, pattern: "" });
          }
        };
        thread.onerror = fail;
        thread.onmessage = ({ data }) => {
          if (data.kind === "lost") {
            fail(new Error(data.why));
          } else if (data.kind === "ready") {
            thread.postMessage({ pipeline });
          } else if (data.kind === "pipeline") {
            next();
          } else if (data.kind === "annotation") {
            annotations.push(data.annotation);
            next();
          }
        };
        thread.postMessage(module);
      }),
    [worker, `${site.origin}/playground.wasm`, `${site.origin}/playground.lexpool`, texts],
  );
}

/** Asks a worker of the page's own kind, which gives all that the page could show. */
async function ask(page, seen, questions) {
  const worker = seen.requests.find((url) => /worker-[^/]*\.js$/.test(url));
  assert.ok(worker, "the page has a worker");
  return page.evaluate(
    ([worker, module, questions]) =>
      new Promise((done, fail) => {
        const answers = [];
        const thread = new Worker(worker, { type: "module" });
        thread.onerror = fail;
        thread.onmessage = ({ data }) => {
          if (data.kind === "lost") {
            fail(new Error(data.why));
          }
          answers.push(data);
          const question = questions[answers.length - 1];
          if (question) {
            thread.postMessage({ number: answers.length, ...question });
          } else {
            thread.terminate();
            done(answers);
          }
        };
        thread.postMessage(module);
      }),
    [worker, `${site.origin}/playground.wasm`, questions],
  );
}

test("tokens, rules and words are those of the Python package on 200 texts", async () => {
  assert.equal(CASES.texts.length, 200);
  const { context, page, seen } = await playground();
  const questions = CASES.texts.map(({ text }) => ({ text, pattern: "" }));
  const [, ...answers] = await ask(page, seen, questions);
  CASES.texts.forEach(({ text, tokens }, i) => {
    const given = answers[i].tokens;
    const words = new Map(given.lexemes.map(({ number, record }) => [number, record]));
    const found = given.tokens.map((token) => [
      token.text,
      token.start,
      token.space,
      token.norm.text,
      token.rule.name,
      words.get(token.lexeme),
    ]);
    assert.deepEqual(found, tokens, JSON.stringify(text));
    for (const token of given.tokens) {
      const before = Buffer.from([...text].slice(0, token.start).join("")).length;
      const bytes = Buffer.from(token.record, "hex");
      const facts = bytes.readUInt32LE(12);
      assert.deepEqual(
        [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8), (facts & 1) === 1],
        [token.lexeme, token.start, before, token.space],
      );
    }
  });
  await context.close();
});

test("records are drawn as the Python package lays them out", async () => {
  const { context, page } = await playground();
  const drawn = await page.locator(".pg-record").evaluateAll((tables) =>
    tables.map((table) => ({
      name: table.querySelector("caption code").textContent,
      size: table.querySelectorAll(".pg-byte").length,
      fields: [...table.querySelectorAll("tbody tr")].map((row) => ({
        name: row.querySelector("th").textContent.trim(),
        offset: Number(row.querySelector(".pg-offset").textContent),
        size: row.querySelectorAll(".pg-byte").length,
      })),
    })),
  );
  assert.deepEqual(drawn, CASES.records);
  const widths = await page.locator(".pg-byte").evaluateAll((cells) => cells.map((cell) => cell.offsetWidth));
  assert.equal(new Set(widths).size, 1, "a byte is as wide as any other");
  await context.close();
});

test("a pattern matches what Python's Matcher matches, and its tokens are marked", async () => {
  const { context, page, seen } = await playground();
  const [, ...answers] = await ask(page, seen, CASES.patterns.map(({ text, pattern }) => ({ text, pattern })));
  for (const [i, { text, pattern, matches }] of CASES.patterns.entries()) {
    const { found } = answers[i];
    assert.deepEqual(found.matches?.map(({ start, end }) => [start, end]), matches, pattern);
    await answered(page, () => page.getByLabel("Text", { exact: true }).fill(text));
    await answered(page, () => page.getByLabel("Pattern", { exact: true }).fill(pattern));
    const marked = await page
      .locator("[role=option]")
      .evaluateAll((boxes) => boxes.flatMap((box, i) => (box.classList.contains("pg-hit") ? [i] : [])));
    const taken = new Set(matches.flatMap(([start, end]) => Array.from({ length: end - start }, (_, n) => start + n)));
    assert.deepEqual(marked, [...taken].sort((a, b) => a - b), pattern);
    assert.equal(await page.locator(".pg-matches li").count(), matches.length);
  }
  await context.close();
});

test("a broken pattern lists all its errors with their places, which go away when it is corrected", async () => {
  const { context, page } = await playground();
  const pattern = page.getByLabel("Pattern", { exact: true });
  await answered(page, () => pattern.fill('[{"LOWER": "a"}, {"LOWR": "b", "OP": "!!"}]'));
  const faults = page.locator(".pg-faults li");
  assert.deepEqual(await faults.locator("code").allTextContents(), ["[1] OP", "[1] LOWR"]);
  assert.equal(await pattern.getAttribute("aria-invalid"), "true");
  await page.locator("[data-part=told]").filter({ hasText: "the pattern has faults" }).waitFor();
  await answered(page, () => pattern.fill('[{"LOWER": "a"'));
  assert.match(await faults.innerText(), /not JSON.*line 1 column 14/);
  await answered(page, () => pattern.fill('[{"LOWER": "a"}]'));
  assert.equal(await faults.count(), 0);
  assert.equal(await pattern.getAttribute("aria-invalid"), "false");
  await context.close();
});

test("tokens are walked with the keys, and each shows its own record", async () => {
  const { context, page } = await playground();
  await answered(page, () => page.getByLabel("Text", { exact: true }).fill("one two (three) four"));
  const chosen = page.locator("[role=option][aria-selected=true]");
  await chosen.focus();
  await page.keyboard.press("Home");
  assert.match(await page.locator(".pg-details h2").innerText(), /^Token 0: one$/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".pg-details h2").innerText(), /^Token 2: \($/);
  assert.match(await page.locator(".pg-rule").innerText(), /PREFIX[\s\S]*front of \(three\)/);
  const row = page.locator(".pg-record").first().locator("tr", { hasText: "idx" });
  assert.deepEqual(await row.locator(".pg-byte").allTextContents(), ["08", "00", "00", "00"]);
  await page.keyboard.press("End");
  assert.match(await page.locator(".pg-details h2").innerText(), /^Token 5: four$/);
  assert.equal(await page.locator("[role=option][tabindex='0']").count(), 1);
  assert.equal(await chosen.evaluate((box) => box === document.activeElement), true);
  await context.close();
});

test("an address brings back text, pattern and token, and markup in it stays text", async () => {
  const { context, page } = await playground();
  const text = `<img src=x onerror=alert(1)> & "quotes" done`;
  await answered(page, () => page.getByLabel("Text", { exact: true }).fill(text));
  await page.locator("[role=option]").last().click();
  await page.waitForFunction(() => location.hash.includes("onerror"));
  const hash = new URL(page.url()).hash;
  const again = await playground({ hash });
  assert.equal(await again.page.getByLabel("Text", { exact: true }).inputValue(), text);
  assert.match(await again.page.locator(".pg-details h2").innerText(), /: done$/);
  assert.equal(await again.page.locator("[data-playground] img").count(), 0);
  await again.context.close();
  await context.close();
});

test("each language has a text, which is cut by its rules", async () => {
  const { context, page, seen } = await playground();
  const languages = page.getByLabel("The language of the text");
  const text = page.getByLabel("Text", { exact: true });
  const codes = await languages.locator("option").evaluateAll((options) => options.map(({ value }) => value));
  assert.ok(codes.length > 30 && new Set(codes).size === codes.length);
  const samples = [];
  for (const code of codes) {
    if (code !== "en") {
      await answered(page, () => languages.selectOption(code));
      assert.equal(await page.locator("[data-part=said]").innerText(), "", code);
      samples.push({ lang: code, text: await text.inputValue(), pattern: "" });
      assert.equal(await text.getAttribute("lang"), code);
      assert.equal(await text.getAttribute("dir"), ["ar", "fa", "he"].includes(code) ? "rtl" : "ltr");
    }
  }
  assert.equal(new Set(samples.map((sample) => sample.text)).size, codes.length - 1);
  const [, ...answers] = await ask(page, seen, samples);
  const words = new Map(samples.map(({ lang }, i) => [lang, answers[i].tokens.tokens.map((token) => token.text)]));
  samples.forEach(({ text }, i) => {
    const written = answers[i].tokens.tokens.map((token) => token.text + (token.space ? " " : "")).join("");
    assert.equal(written, text);
  });
  // Rules that English lacks, each on the sample of its language.
  for (const [lang, ...expected] of [
    ["de", "3.", "U-Bahn", "d.h."],
    ["fr", "Aujourd'hui", "l'", "qu'", "M.", "-ce", "-elle"],
    ["it", "Dov'", "dev'", "po'"],
    ["fi", "Itä-Pasilassa", "EU:n"],
    ["ru", "г.", "руб."],
    ["zh", "王", "小", "明"],
    ["vi", "đồng,"],
    ["th", "ซื้อ", "หนังสือ", "250.50"],
    ["hy", "։"],
  ]) {
    for (const word of expected) {
      assert.ok(words.get(lang).includes(word), `${lang}: ${word} of ${words.get(lang).join("|")}`);
    }
  }
  await context.close();
});

test("a language is part of the address, and only English is annotated", async () => {
  const { context, page } = await playground();
  const languages = page.getByLabel("The language of the text");
  await answered(page, () => languages.selectOption("fr"));
  assert.match(await page.locator("[data-part=foreign]").innerText(), /English alone/);
  assert.equal(await page.locator("[data-part=annotated]").isVisible(), false);
  assert.match(await page.locator("[data-playground]").innerText(), /own rules for French/);
  const text = page.getByLabel("Text", { exact: true });
  await answered(page, () => text.fill("l'eau d'ici"));
  const shown = () => page.locator("[role=option]").evaluateAll((boxes) => boxes.length);
  assert.equal(await shown(), 4);
  await page.waitForFunction(() => location.hash.includes("lang=fr"));
  const again = await playground({ hash: new URL(page.url()).hash });
  assert.equal(await again.page.getByLabel("The language of the text").inputValue(), "fr");
  assert.equal(await again.page.locator("[role=option]").count(), 4);
  await again.context.close();
  await answered(page, () => languages.selectOption("ar"));
  await page.locator("[role=option]").first().focus();
  await page.keyboard.press("ArrowLeft");
  assert.match(await page.locator(".pg-details h2").innerText(), /^Token 1:/);
  // An example of an English text brings English back, with its annotation.
  await answered(page, () => page.getByLabel("An example of an English text").selectOption("0"));
  assert.equal(await languages.inputValue(), "en");
  assert.equal(await page.locator("[data-part=foreign]").isVisible(), false);
  await page.locator("[data-part=annotated]").waitFor();
  await context.close();
});

test("what is too much is said, and the page goes on", async () => {
  const { context, page } = await playground();
  const text = page.getByLabel("Text", { exact: true });
  const pattern = page.getByLabel("Pattern", { exact: true });
  await answered(page, () => text.fill("! ".repeat(9000)));
  await answered(page, () => pattern.fill('[{"OP": "+"}]'));
  await page.locator("[data-part=found], [data-part=said]").filter({ hasText: /limit|too much/ }).first().waitFor();
  await answered(page, () => text.fill("ж".repeat(15000)));
  assert.match(await page.locator("[data-part=said]").innerText(), /30000 bytes/);
  await answered(page, () => pattern.fill('[{"TEXT": "end"}]'));
  assert.match(await page.locator("[data-part=said]").innerText(), /30000 bytes/);
  await answered(page, () => text.fill("the end"));
  assert.equal(await page.locator("[data-part=said]").innerText(), "");
  assert.equal(await page.locator(".pg-hit").innerText().then((shown) => shown.split("\n")[0]), "end");
  await context.close();
});

test("a module that is lost is started anew", async () => {
  const { context, page } = await playground();
  // Workers made from now on end as one does whose module has trapped.
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    let lost = false;
    Worker.prototype.postMessage = function (data, ...rest) {
      if (data.text !== undefined && !lost) {
        lost = true;
        this.onmessage({ data: { kind: "lost", why: "unreachable" } });
        return;
      }
      post.call(this, data, ...rest);
    };
  });
  const text = page.getByLabel("Text", { exact: true });
  await answered(page, () => text.fill("lost"));
  assert.match(await page.locator("[data-part=said]").innerText(), /started anew/);
  await answered(page, () => text.fill("found again"));
  assert.deepEqual(await page.locator("[role=option] bdi").allTextContents(), ["found", "again"]);
  // The pipeline is loaded anew, too.
  await page.locator(".pg-tree .lexpool-word", { hasText: "found" }).waitFor({ state: "attached" });
  await context.close();
});

test("tags, trees, lemmas and entities are those of the Python package on 200 sentences", async () => {
  assert.equal(ANNOTATED.length, 200);
  const { context, page, seen } = await playground();
  const texts = ANNOTATED.map(({ text }) => text);
  const annotations = await annotate(page, seen, texts);
  ANNOTATED.forEach(({ text, tokens, entities, sentences }, i) => {
    const given = annotations[i];
    const found = given.tokens.map((token) => [
      token.text,
      token.tag,
      token.pos,
      token.morph,
      token.lemma,
      token.dep,
      token.head,
    ]);
    assert.deepEqual(found, tokens, text);
    assert.deepEqual(given.entities.map(({ start, end, label }) => [start, end, label]), entities, text);
    assert.deepEqual(given.sentences.map(({ start, end }) => [start, end]), sentences, text);
  });
  await context.close();
});

test("while one types, tags, tree and entities follow", async () => {
  const { context, page } = await playground();
  const { text, tokens, entities } = ANNOTATED.find(({ entities }) => entities.length > 1);
  await annotated(page, () => page.getByLabel("Text", { exact: true }).fill(text));
  const rows = page.locator(".pg-analysis tbody tr");
  const columns = await rows.evaluateAll((rows) =>
    rows.map((row) => [...row.cells].slice(0, 6).map((cell) => cell.textContent.trim())),
  );
  const expected = tokens.map(([word, tag, pos, , lemma, dep, head], i) => [
    word,
    pos,
    tag,
    lemma,
    dep,
    head === i ? "root" : tokens[head][0],
  ]);
  assert.deepEqual(columns, expected);
  // Spaces apart, which the table of cases does not have.
  const marks = await page.locator(".pg-ent").evaluateAll((marks) => marks.map((mark) => mark.textContent.replace(/\s/g, "")));
  const named = entities.map(([start, end, label]) => [...tokens.slice(start, end).map(([word]) => word), label].join(""));
  assert.deepEqual(marks, named);
  const labels = await page.locator(".pg-tree .lexpool-label").allTextContents();
  const arcs = tokens.filter(([, , , , , , head], i) => head !== i);
  assert.deepEqual(labels.sort(), arcs.map(([, , , , , dep]) => dep).sort());
  assert.match(await page.locator("[data-part=pipeline]").innerText(), /tokens in [0-9.]+ ms/);
  await context.close();
});

test("the tree is that of the chosen token's sentence, and buttons go through the sentences", async () => {
  const { context, page } = await playground();
  await annotated(page, () => page.getByLabel("Text", { exact: true }).fill("Dogs bark. Cats sleep. Birds sing."));
  await page.getByRole("option", { name: "Dogs" }).click();
  const title = page.locator("[data-part=sentence]");
  const words = () => page.locator(".pg-tree .lexpool-word").allTextContents();
  assert.equal(await title.innerText(), "Sentence 1 of 3");
  await drawn(page, () => page.getByRole("button", { name: "Next sentence" }).click());
  assert.equal(await title.innerText(), "Sentence 2 of 3");
  assert.deepEqual(await words(), ["Cats", "sleep", "."]);
  assert.match(await page.locator(".pg-details h2").innerText(), /^Token 3: Cats$/);
  await drawn(page, () => page.getByRole("option", { name: "sing" }).click());
  assert.deepEqual(await words(), ["Birds", "sing", "."]);
  assert.equal(await page.locator(".pg-here th").innerText(), "sing");
  await drawn(page, () => page.getByRole("button", { name: "Next sentence" }).click());
  assert.equal(await title.innerText(), "Sentence 1 of 3");
  await context.close();
});

test("the pipeline is fetched when one begins, and not before", async () => {
  const { context, page, seen } = await playground();
  const isFetched = () => seen.requests.some((url) => url.endsWith("/playground.lexpool"));
  assert.ok(await page.locator(".pg-tree svg").isVisible(), "there is an example");
  assert.equal(isFetched(), false);
  await annotated(page, () => page.getByLabel("Text", { exact: true }).focus());
  assert.equal(isFetched(), true);
  await context.close();
});

test("a packed pipeline of the reader's is used, and another file is refused with its reason", async () => {
  const { context, page, seen } = await playground();
  const own = page.getByLabel("Use a pipeline of your own");
  const buffer = await readFile(new URL("../../public/playground.lexpool", import.meta.url));
  await annotated(page, () => own.setInputFiles({ name: "own.lexpool", mimeType: "", buffer }));
  assert.ok(seen.requests.some((url) => url.startsWith("blob:")));
  const labels = await page.locator(".pg-tree .lexpool-label").allTextContents();
  assert.ok(labels.length > 3);
  await own.setInputFiles({ name: "own.lexpool", mimeType: "", buffer: buffer.subarray(0, 1000) });
  await page.locator("[data-part=unloaded]").filter({ hasText: "could not be loaded" }).waitFor();
  await context.close();
});

test("without the pipeline the page says so, goes on, and tries again", async () => {
  const { context, page } = await playground();
  const fault = page.locator("[data-part=unloaded]");
  await context.route("**/playground.lexpool", (route) => route.fulfill({ status: 503 }));
  await answered(page, () => page.getByLabel("Text", { exact: true }).fill("Dogs bark."));
  await fault.filter({ hasText: /could not be loaded: .*503/ }).waitFor();
  assert.equal(await page.locator(".pg-tree").isVisible(), false, "the tree of another text is not shown");
  assert.deepEqual(await page.locator("[role=option] bdi").allTextContents(), ["Dogs", "bark", "."]);
  await context.unroute("**/playground.lexpool");
  await annotated(page, () => page.getByRole("button", { name: "Try again" }).click());
  assert.ok(await page.locator(".pg-tree").isVisible());
  assert.equal(await page.getByRole("button", { name: "Try again" }).isVisible(), false);
  await context.route("**/playground.lexpool", (route) => route.fulfill({ body: "not a pipeline" }));
  await page.reload();
  await page.getByLabel("Text", { exact: true }).fill("Cats sleep.");
  await fault.filter({ hasText: "could not be loaded" }).waitFor();
  await context.close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in matches or in faults, in the ${colorScheme} theme`, async () => {
    const { context, page } = await playground({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(await readFile(AXE, "utf8"));
    const pattern = page.getByLabel("Pattern", { exact: true });
    for (const typed of ['[{"IS_ALPHA": true}]', "[{"]) {
      await answered(page, () => pattern.fill(typed));
      const { violations } = await page.evaluate(() => globalThis.axe.run("[data-playground]"));
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${target}`));
      assert.deepEqual(found, [], typed);
    }
    await context.close();
  });
}

test("without scripts there is an example, and a sentence that says so", async () => {
  const context = await site.browser.newContext({ javaScriptEnabled: false });
  const { page } = await open(context, `${site.origin}/try/`);
  assert.match(await page.locator("noscript").innerText(), /needs JavaScript/);
  assert.ok((await page.locator("[role=option]").count()) > 10);
  assert.equal(await page.locator(".pg-record").count(), 2);
  assert.ok((await page.locator(".pg-ent").count()) > 1);
  assert.equal(await page.locator(".pg-tree svg").count(), 1);
  await context.close();
});
