// A new version of the site comes in whole: an open page stays of its version, and nothing of others is lost.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { BASE, browse, kept, open, serve } from "../site.mjs";

const MARK = "<!-- the next version -->";
const VERSION = /"version":"\w+"/;

let browser;
let server;
let published = false;
before(async () => {
  browser = await browse();
  // The next version differs in one page, and so in the version that its worker is of.
  server = await serve((path, body) => {
    const edits = { "/404.html": ["</body>", `${MARK}</body>`], "/sw.js": [VERSION, '"version":"next"'] };
    return published && edits[path] ? String(body).replace(...edits[path]) : body;
  });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

test("an open page keeps its version, and the next one to be opened has the new", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, `${server.origin}/404.html`);
  // A worker goes when it has nothing left to do.
  await kept(page);
  await page.evaluate(async () => {
    await caches.open("lexpool:/elsewhere/:site:1");
    await caches.open("another site");
  });
  const before = await page.evaluate(() => caches.keys());

  published = true;
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await page.waitForFunction(async () => (await navigator.serviceWorker.ready).waiting !== null, null, { timeout: 60_000 });
  await page.reload();
  assert.ok(!(await page.content()).includes(MARK), "the open page has become another version's");

  // The last page of the old version goes, and a reader comes back.
  await page.close();
  const names = await reopened(context);
  const ours = (all) => all.filter((name) => name.startsWith(`lexpool:${BASE}/:`)).sort();
  assert.deepEqual(names.filter((name) => !ours(names).includes(name)).sort(), ["another site", "lexpool:/elsewhere/:site:1"]);
  assert.equal(ours(names).filter((name) => name.includes(":site:")).length, 1);
  assert.notDeepEqual(ours(names), ours(before));
  // The Rust reference is the same, and was not thrown away to be fetched once more.
  const reference = (all) => all.filter((name) => name.includes(":rust:"));
  assert.deepEqual(reference(names), reference(before));
  await context.close();
});

/** Opens the site until the new worker is in charge, and says which caches there are then. */
async function reopened(context) {
  for (let tries = 0; tries < 60; tries += 1) {
    await new Promise((later) => setTimeout(later, 1000));
    const { page } = await open(context, `${server.origin}/404.html`);
    if ((await page.content()).includes(MARK)) {
      return page.evaluate(() => caches.keys());
    }
    await page.close();
  }
  throw new Error("the new version did not come");
}
