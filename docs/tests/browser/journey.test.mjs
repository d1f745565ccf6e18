// The drawing of a text's journey: one station at a time, by mouse and by keyboard, all of them without scripts.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { browsed, open } from "../site.mjs";

const data = JSON.parse(await readFile(new URL("../../src/data/journey.json", import.meta.url), "utf8"));
const PATH = "/architecture/journey/";

const site = browsed();

/** What is shown: the station that is current, the headings of visible panels, and the address. */
const shown = (page) =>
  page.evaluate(() => ({
    current: [...document.querySelectorAll("lex-journey [aria-current]")].map((link) => link.hash),
    panels: [...document.querySelectorAll("[data-station]:not([hidden]) h2")].map((heading) => `#${heading.id}`),
    hash: location.hash,
  }));

const at = (hash) => ({ current: [hash], panels: [hash], hash });

test("a station is chosen by a click, and the address says so", async () => {
  const { page } = await open(site.context, site.origin + PATH);
  assert.deepEqual((await shown(page)).panels, ["#bytes"]);
  const stations = await page.locator("lex-journey nav a").evaluateAll((links) => links.map((link) => link.hash));
  assert.ok(stations.length >= 9);
  for (const station of stations) {
    await page.click(`lex-journey nav a[href="${station}"]`);
    assert.deepEqual(await shown(page), at(station));
  }
  await page.close();
});

test("arrow keys, Home and End go from station to station and stop at the ends", async () => {
  const { page } = await open(site.context, site.origin + PATH);
  await page.locator("lex-journey nav a").first().focus();
  const steps = ["ArrowDown", "ArrowRight", "ArrowLeft", "End", "ArrowDown", "Home", "ArrowUp"];
  const stations = ["#chunks", "#cache", "#chunks", "#views", "#views", "#bytes", "#bytes"];
  for (const [i, key] of steps.entries()) {
    await page.keyboard.press(key);
    assert.deepEqual(await shown(page), at(stations[i]), key);
    assert.equal(await page.evaluate(() => document.activeElement.hash), stations[i]);
  }
  await page.close();
});

test("an address with a station opens it, and so does the table of contents", async () => {
  const { page } = await open(site.context, `${site.origin + PATH}#lexemes`);
  assert.deepEqual(await shown(page), at("#lexemes"));
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.click('starlight-toc a[href="#records"]');
  await page.waitForFunction(() => !document.querySelector("[data-station] #records").closest("[hidden]"));
  assert.deepEqual(await shown(page), at("#records"));
  await page.close();
});

test("the records on the page are those of the package", async () => {
  const { page } = await open(site.context, `${site.origin + PATH}#records`);
  const rows = await page.locator("[data-station]:not([hidden]) tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
  );
  assert.equal(rows.length, data.records.length);
  for (const [i, { text, lex, idx, byte, hex }] of data.records.entries()) {
    assert.deepEqual(rows[i].slice(0, 4), [text, `${lex}`, `${idx}`, `${byte}`]);
    assert.equal(rows[i][5].replaceAll(" ", ""), hex);
  }
  await page.close();
});

test("without scripts all stations are there, one below the other", async () => {
  const bare = await site.browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 900 } });
  const page = await bare.newPage();
  await page.goto(site.origin + PATH);
  const panels = page.locator("[data-station]");
  assert.equal(await panels.count(), await page.locator("lex-journey nav a").count());
  for (const panel of await panels.all()) {
    assert.ok(await panel.isVisible());
  }
  await bare.close();
});
