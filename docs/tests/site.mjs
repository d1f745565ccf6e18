// Shared by the browser tests: the built site behind a server, a browser, and the list of pages.
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { installed, launch } from "./browser.mjs";

/** The path under which the site was built, without its last slash: SITE_BASE, or nothing. */
export const BASE = (process.env.SITE_BASE ?? "").replace(/\/$/, "");

export const DIST = resolve(dirname(fileURLToPath(import.meta.url)), "../dist");

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** Paths of all pages, such as "/records/", without those that rustdoc made. */
export async function pagePaths() {
  const files = await readdir(DIST, { recursive: true });
  const paths = files
    .map((file) => `/${file.split(sep).join("/")}`)
    .filter((path) => path.endsWith("/index.html") && !path.startsWith("/rust/"))
    .map((path) => path.slice(0, -"index.html".length));
  if (paths.length < 20) {
    throw new Error(`${DIST} has ${paths.length} pages: run \`make docs\` first`);
  }
  return paths.sort();
}

/**
 * Serves dist/ under its base on a free port of this machine; `close` cuts the network for good. `edit` is given
 * the path and the bytes of each file, and gives what is served.
 */
export async function serve(edit = (path, body) => body) {
  const server = createServer(async (request, response) => {
    const path = unbased(decodeURIComponent(new URL(request.url, "http://site").pathname));
    const file = join(DIST, path.endsWith("/") ? `${path}index.html` : path);
    try {
      if (relative(DIST, file).startsWith("..")) {
        throw new Error("outside of the site");
      }
      const body = edit(path, await readFile(file));
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404, { "content-type": TYPES[".html"] });
      response.end(await readFile(join(DIST, "404.html")));
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  // If the browser cannot be started, the tests fail without waiting for this.
  server.unref();
  return {
    origin: `http://127.0.0.1:${server.address().port}${BASE}`,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

/** The path of a page within the site; what lies beside the site has none. */
export function unbased(path) {
  return path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : "/outside of the site";
}

/** Starts the browser that CHROMIUM names, or the first one of this machine. */
export async function browse() {
  const [path] = installed();
  if (path === undefined) {
    throw new Error("no browser: run `npm test`, which fetches one, or name one in CHROMIUM");
  }
  return launch(path);
}

/** Calls `work` for every item with one of the workers, each of which has one item at a time. */
export async function eachOf(items, workers, work) {
  const todo = [...items];
  await Promise.all(
    workers.map(async (worker) => {
      for (let item = todo.shift(); item !== undefined; item = todo.shift()) {
        await work(item, worker);
      }
    }),
  );
}

/** Opens an address in a tab of its own, and collects what the page complains about and whom it asks. */
export async function open(context, address) {
  const tab = await watchedTab(context);
  await visit(tab, address);
  return tab;
}

/** Makes a tab that collects what its page complains about and whom it asks. */
export async function watchedTab(context) {
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const seen = { errors: [], requests: [], failed: [] };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      seen.errors.push(message.text());
    }
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("response", (response) => {
    if (response.status() >= 400) {
      seen.failed.push(`${response.status()} ${response.url()}`);
    }
  });
  return { page, seen };
}

/** Goes to an address in a tab, and forgets what it has collected about the page before. */
export async function visit({ page, seen }, address) {
  Object.values(seen).forEach((list) => list.splice(0));
  await page.goto(address, { waitUntil: "load" });
}

/** Waits until a page has all of the site with it, the Rust reference too, which is fetched behind the rest. */
export async function kept(page) {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null, null, { timeout: 60_000 });
  const files = await readdir(join(DIST, "rust"), { recursive: true, withFileTypes: true });
  const wanted = files.filter((file) => file.isFile()).length;
  const begun = Date.now();
  while ((await page.evaluate(cachedReference)) < wanted) {
    if (Date.now() - begun > 120_000) {
      throw new Error("the Rust reference takes more than two minutes to come");
    }
    await new Promise((later) => setTimeout(later, 500));
  }
}

/** In the page: how many files of the Rust reference it has with it. */
async function cachedReference() {
  const names = (await caches.keys()).filter((name) => name.includes(":rust:"));
  const counts = names.map(async (name) => (await (await caches.open(name)).keys()).length);
  return Math.max(0, ...(await Promise.all(counts)));
}

/** Opens the search by its key, once the page's script has made its button ready. */
export async function openSearch(page) {
  await page.locator("site-search [data-open-modal]:enabled").waitFor();
  await page.keyboard.press("Control+k");
  await page.locator("site-search dialog input").waitFor();
}

/**
 * The site for the tests of a file: its `origin`, a `browser`, and a `context` for pages, until they are over.
 * `begin` is done before the first of them: hooks of a file do not wait for each other.
 */
export function browsed(begin = () => {}) {
  const site = {};
  let server;
  before(async () => {
    [server, site.browser] = await Promise.all([serve(), browse()]);
    site.origin = server.origin;
    site.context = await site.browser.newContext({ serviceWorkers: "block" });
    await begin();
  });
  after(async () => {
    await site.browser?.close();
    await server?.close();
  });
  return site;
}
