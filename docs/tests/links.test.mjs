// Every link and every anchor leads somewhere, inside of the site and to the Rust reference.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { parse } from "parse5";
import { BASE, DIST, pagePaths, unbased } from "./site.mjs";

const ORIGIN = "http://site.invalid";
const read = new Map();

/** The ids and links of a page of dist/; nothing when there is no such page. */
async function contents(path) {
  if (!read.has(path)) {
    const file = join(DIST, path.endsWith("/") ? `${path}index.html` : path);
    read.set(path, existsSync(file) ? found(parse(await readFile(file, "utf8"))) : null);
  }
  return read.get(path);
}

function found(document) {
  const ids = new Set();
  const links = [];
  const visit = (node) => {
    for (const { name, value } of node.attrs ?? []) {
      if (name === "id" || (name === "name" && node.tagName === "a")) {
        ids.add(value);
      } else if (name === "href" || name === "src") {
        links.push(value);
      }
    }
    (node.content ?? node).childNodes?.forEach(visit);
  };
  visit(document);
  return { ids, links };
}

async function fault(link, from) {
  const url = new URL(link, ORIGIN + BASE + from);
  if (url.origin !== ORIGIN) {
    // Addresses elsewhere are for people; no machine of the tests goes there.
    return ["https:", "mailto:", "data:"].includes(url.protocol) ? null : "neither of the site nor https";
  }
  const path = unbased(decodeURIComponent(url.pathname));
  const file = join(DIST, path.endsWith("/") ? `${path}index.html` : path);
  if (!existsSync(file)) {
    return "no such page";
  }
  const anchor = decodeURIComponent(url.hash.slice(1));
  if (anchor && file.endsWith(".html") && !(await contents(path)).ids.has(anchor)) {
    // Lines of a source file in the Rust reference have ids too, ranges of lines do not.
    const range = /\/src\/.*\.rs\.html$/.test(path) && /^(\d+)-\d+$/.exec(anchor);
    return range && (await contents(path)).ids.has(range[1]) ? null : "no such anchor";
  }
  return null;
}

test("no link of a page is broken, nor its anchor", async () => {
  const broken = [];
  let checked = 0;
  for (const page of await pagePaths()) {
    for (const link of (await contents(page)).links) {
      checked += 1;
      const why = await fault(link, page);
      if (why) {
        broken.push(`${page}: ${link}: ${why}`);
      }
    }
  }
  assert.ok(checked > 1000, `only ${checked} links were found`);
  assert.deepEqual(broken, []);
});

test("every page can be reached from the first by links", async () => {
  const reached = new Set(["/"]);
  const todo = ["/"];
  for (let page = todo.pop(); page; page = todo.pop()) {
    for (const link of (await contents(page)).links) {
      const url = new URL(link, ORIGIN + BASE + page);
      const path = unbased(url.pathname);
      if (url.origin === ORIGIN && path.endsWith("/") && !path.startsWith("/rust/") && !reached.has(path)) {
        reached.add(path);
        todo.push(path);
      }
    }
  }
  assert.deepEqual((await pagePaths()).filter((page) => !reached.has(page)), []);
});

test("a link to nowhere is found", async () => {
  assert.equal(await fault(`${BASE}/no/such/page/`, "/"), "no such page");
  assert.equal(await fault("#no-such-anchor", "/"), "no such anchor");
  assert.equal(await fault("http://example.com/", "/"), "neither of the site nor https");
});
