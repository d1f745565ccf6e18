// The drawings of a trained pipeline: tokens chosen by radio buttons, states by a slider,
// and a picture and tables without scripts.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { browsed, open } from "../site.mjs";

const data = JSON.parse(await readFile(new URL("../../src/trained.json", import.meta.url), "utf8"));
const PATH = "/architecture/trained/";
const [PARSER, NER] = [0, 1];

const site = browsed();

/** The cells of the table of the chosen token. */
const cells = (page) =>
  page.locator("lex-reach tbody tr").evaluateAll((rows) =>
    rows.map((row) => ({
      attr: row.cells[0].querySelector("code").textContent,
      value: row.cells[1].querySelector("code").textContent,
      id: BigInt(row.cells[1].querySelector("small").textContent).toString(),
      rows: [...row.cells[2].querySelectorAll("code")].map((code) => Number(code.textContent)),
    })),
  );

const expected = (token) =>
  token.ids.map(({ value, id, rows }, i) => ({ attr: data.network.tables[i].attr, value, id, rows }));

test("each token shows its ids and rows, by click and by arrow keys", async () => {
  const { page } = await open(site.context, site.origin + PATH);
  for (const [i, token] of data.tokens.entries()) {
    await page.locator("lex-reach label").nth(i).click();
    assert.deepEqual(await cells(page), expected(token), token.text);
    const [[tag]] = token.tags;
    assert.ok((await page.locator("lex-reach .tags").textContent()).startsWith(`${tag} `));
  }
  await page.keyboard.press("ArrowLeft");
  assert.deepEqual(await cells(page), expected(data.tokens.at(-2)));
  await page.close();
});

test("the bars of a token cover the tokens whose change moves its vector", async () => {
  const { page } = await open(site.context, site.origin + PATH);
  for (const i of [0, 6, 12]) {
    await page.locator("lex-reach label").nth(i).click();
    const [covered, coloured] = await page.evaluate(() => {
      const bar = document.querySelector("lex-reach i").getBoundingClientRect();
      const under = ({ left, width }) => bar.left < left + width / 2 && left + width / 2 < bar.right;
      return [
        [...document.querySelectorAll("lex-reach label")].map((label) => under(label.getBoundingClientRect())),
        [...document.querySelectorAll("lex-reach .changes b")].map((change) => !change.classList.contains("none")),
      ];
    });
    const changed = data.changes[i].map((change) => change > 0);
    assert.deepEqual([covered, coloured], [changed, changed]);
  }
  await page.close();
});

/** The drawing of a state: the place of each token, its features, and the arcs or entities that are shown. */
const state = (page, at) =>
  page.locator("lex-steps").nth(at).evaluate((steps) => ({
    step: Number(steps.querySelector("output").value),
    current: [...steps.querySelectorAll("tr[aria-current]")].map((row) => Number(row.dataset.step) + 1),
    places: [...steps.querySelectorAll(".token")].map((token) => token.dataset.place),
    marks: [...steps.querySelectorAll(".mark")].map((mark) => mark.textContent.split(" ").filter(Boolean)),
    made: [...steps.querySelectorAll(".arc, .entity")].filter((node) => !node.hasAttribute("data-later")).length,
  }));

test("the slider goes through all states of the parser and of the entity recognizer", async () => {
  const { page } = await open(site.context, site.origin + PATH);
  for (const [at, { steps }] of [data.parser, data.ner].entries()) {
    const slider = page.locator("lex-steps input").nth(at);
    await slider.focus();
    await page.keyboard.press("Home");
    let made = 0;
    for (const [i, { stack, queue, features, ...step }] of steps.entries()) {
      made = at === PARSER ? made + step.made.length : step.ents.length;
      const shown = await state(page, at);
      assert.deepEqual([shown.step, shown.current], [i + 1, [i + 1]]);
      const place = (_, token) => (stack.includes(token) ? "stack" : queue.includes(token) ? "buffer" : "done");
      assert.deepEqual(shown.places, data.tokens.map(place));
      const present = features.filter((token) => token >= 0).length;
      assert.equal(shown.marks.flat().length, present);
      assert.equal(shown.marks[queue[0]]?.includes("B0") ?? true, true);
      assert.equal(shown.made, made, `step ${i + 1}`);
      await page.keyboard.press("ArrowRight");
    }
    assert.equal((await state(page, at)).step, steps.length);
  }
  await page.close();
});

test("buttons and rows choose a step, and the buttons end with the steps", async () => {
  const { page } = await open(site.context, site.origin + PATH);
  const steps = page.locator("lex-steps").nth(NER);
  const step = async () => (await state(page, NER)).step;
  assert.equal(await step(), 1);
  assert.ok(await steps.locator(".back").isDisabled());
  await steps.locator(".next").click();
  assert.equal(await step(), 2);
  await steps.locator("tbody tr").nth(4).click();
  assert.equal(await step(), 5);
  await steps.locator(".back").click();
  assert.equal(await step(), 4);
  await steps.locator("tbody tr").last().click();
  assert.ok(await steps.locator(".next").isDisabled());
  await page.close();
});

test("without scripts one token is shown, and none can be chosen", async () => {
  const bare = await site.browser.newContext({ javaScriptEnabled: false });
  const page = await bare.newPage();
  await page.goto(site.origin + PATH);
  const chosen = Number(await page.locator("lex-reach input:checked").getAttribute("value"));
  assert.deepEqual(await cells(page), expected(data.tokens[chosen]));
  assert.equal(await page.locator("lex-reach input:enabled").count(), 0);
  assert.ok(await page.locator("lex-reach .choose").isHidden());
  await bare.close();
});

test("without scripts the drawing shows the whole parse, and the table every step", async () => {
  const bare = await site.browser.newContext({ javaScriptEnabled: false, viewport: { width: 400, height: 900 } });
  const page = await bare.newPage();
  await page.goto(site.origin + PATH);
  const steps = page.locator("lex-steps");
  assert.ok(await steps.nth(PARSER).locator(".controls").isHidden());
  assert.equal(await steps.nth(PARSER).locator(".arc:visible").count(), data.tokens.length - 1);
  assert.equal(await steps.nth(NER).locator(".entity:visible").count(), data.ner.ents.length);
  for (const [at, part] of [data.parser, data.ner].entries()) {
    assert.equal(await steps.nth(at).locator("tbody tr:visible").count(), part.steps.length);
    const scores = await steps.nth(at).locator(".best span:first-child").allTextContents();
    assert.deepEqual(
      scores.map((text) => text.trim().replace(/\s+/g, " ")),
      part.steps.map(({ best: [[name, score]] }) => `${name} ${score.toFixed(2)}`),
    );
  }
  await bare.close();
});
