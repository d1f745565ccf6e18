// With the network cut, the site goes on: pages, search, the playground, and the Rust reference.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { browse, kept, open, openSearch, serve } from "../site.mjs";

const PAGES = [
  "/",
  "/start/python/",
  "/try/",
  "/architecture/journey/",
  "/architecture/memory/",
  "/conventions/kernels/",
  "/records/token-c/",
  "/registry/ops/",
  "/files/corpus/",
  "/benchmarks/",
];

let browser;
let server;
let page;
let seen;
before(async () => {
  browser = await browse();
  server = await serve();
  ({ page, seen } = await open(await browser.newContext(), `${server.origin}/`));
  await kept(page);
  await server.close();
});
after(() => browser?.close());

for (const path of PAGES) {
  test(`${path} is there`, async () => {
    seen.errors.length = 0;
    await page.goto(server.origin + path);
    await page.reload();
    assert.ok((await page.locator("main h1").first().innerText()).length > 0);
    assert.deepEqual(seen.errors, []);
  });
}

test("search finds", async () => {
  await page.goto(`${server.origin}/`);
  await openSearch(page);
  await page.locator("dialog input").fill("zone");
  await page.locator("dialog .pagefind-ui__result-link").first().waitFor();
});

test("the playground tokenizes", async () => {
  await page.goto(`${server.origin}/try/`);
  await page.locator("textarea").first().fill("Let's go offline.");
  await page.getByRole("option", { name: /offline/ }).first().waitFor();
});

test("the playground's pipeline annotates", async () => {
  await page.goto(`${server.origin}/try/`);
  await page.locator("textarea").first().fill("Offline trees grow.");
  await page.locator(".pg-tree .lexpool-word", { hasText: "Offline" }).waitFor({ state: "attached" });
});

test("the Rust reference is there", async () => {
  for (const path of ["/rust/lexpool/", "/rust/lexpool/tokenizer/index.html", "/rust/help.html"]) {
    const response = await page.goto(server.origin + path);
    assert.equal(response.status(), 200, path);
  }
});

test("an unknown page says so", async () => {
  const response = await page.goto(`${server.origin}/no/such/page/`);
  assert.equal(response.status(), 404);
});
