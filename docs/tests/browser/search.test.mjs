// The first search result for common questions is the page that answers them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { browsed, open, openSearch, unbased } from "../site.mjs";

const terms = JSON.parse(await readFile(new URL("./search.json", import.meta.url), "utf8"));

let page;
const site = browsed(async () => {
  ({ page } = await open(site.context, `${site.origin}/`));
  await openSearch(page);
});

test("there are thirty terms or more", () => assert.ok(Object.keys(terms).length >= 30));

for (const [term, wanted] of Object.entries(terms)) {
  test(`"${term}" is on ${wanted}`, async () => {
    const input = page.locator("dialog input");
    await input.fill("");
    await page.locator("dialog .pagefind-ui__result-link").first().waitFor({ state: "detached" });
    await input.fill(term);
    // Results come one by one, and not in their order: the first has its place before it has its link.
    const result = page.locator("dialog .pagefind-ui__result").first();
    const first = result.locator(".pagefind-ui__result-link").first();
    await first.waitFor();
    const address = new URL(await first.getAttribute("href"), site.origin);
    assert.equal(unbased(address.pathname), wanted);
  });
}
