// What has to hold on every page, in light and in dark, on a phone and on a desk.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test, { after, before } from "node:test";
import { browse, eachOf, open, pagePaths, serve } from "./site.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const WIDTHS = [390, 900, 1440];
const LARGEST = 250 * 1024;

let server;
let browser;
let paths;
before(async () => {
  [server, browser, paths] = await Promise.all([serve(), browse(), pagePaths()]);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens every page in a context with these options and gives what `look` finds wrong. */
async function faults(options, look) {
  const context = await browser.newContext({ serviceWorkers: "block", ...options });
  const found = [];
  await eachOf(paths, 2, async (path) => {
    const { page, seen } = await open(context, server.origin + path);
    for (const fault of await look(page, seen, path)) {
      found.push(`${path}: ${fault}`);
    }
    await page.close();
  });
  await context.close();
  return found.sort();
}

test("a page logs no error and asks nobody but the site", async () => {
  const found = await faults({}, async (page, seen) => {
    await page.waitForLoadState("networkidle");
    return [
      ...seen.errors.filter((error) => !error.includes("blocked by Playwright")),
      ...seen.failed,
      ...seen.requests.filter((url) => !url.startsWith(server.origin) && !/^(data|blob):/.test(url)),
    ];
  });
  assert.deepEqual(found, []);
});

test("a page has at most 250 KB, WebAssembly apart", async () => {
  const found = await faults({}, async (page, seen) => {
    await page.waitForLoadState("networkidle");
    let size = 0;
    for (const url of new Set(seen.requests.filter((url) => !url.endsWith(".wasm")))) {
      size += (await (await fetch(url)).arrayBuffer()).byteLength;
    }
    return size > LARGEST ? [`${size} bytes`] : [];
  });
  assert.deepEqual(found, []);
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in the ${colorScheme} theme`, async () => {
    const axe = await readFile(AXE, "utf8");
    const found = await faults({ colorScheme, reducedMotion: "reduce" }, async (page) => {
      // What scrolls becomes a stop of the Tab key once the page is idle.
      await page.evaluate(() => new Promise((idle) => requestIdleCallback(() => setTimeout(idle, 100))));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      return violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 5).map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
      );
    });
    assert.deepEqual(found, []);
  });
}

test("no page is wider than the screen", async () => {
  const found = [];
  for (const width of WIDTHS) {
    found.push(
      ...(await faults({ viewport: { width, height: 900 } }, async (page) => {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        return wide > width ? [`${wide} pixels on ${width}`] : [];
      })),
    );
  }
  assert.deepEqual(found, []);
});

test("all of a page is reached with the Tab key, and one sees where one is", async () => {
  const found = await faults({ viewport: { width: 1440, height: 900 } }, async (page) => {
    const wanted = await page.evaluate(markReachable);
    await page.evaluate(() => document.body.focus());
    const unseen = new Set();
    // Some more than are wanted: the browser's own stops, such as a table that scrolls.
    for (let press = 0; press < wanted + 40; press += 1) {
      await page.keyboard.press("Tab");
      const state = await page.evaluate(noteFocus);
      if (state.unseen) {
        unseen.add(state.unseen);
      }
      if (state.left === 0) {
        break;
      }
    }
    const missed = await page.evaluate(() => globalThis.unreached());
    return [
      ...missed.slice(0, 5).map((what) => `not reached: ${what}`),
      ...[...unseen].slice(0, 5).map((what) => `focus not to be seen: ${what}`),
    ];
  });
  assert.deepEqual(found, []);
});

// In the page: everything that one can act upon, but for what is hidden, and groups with one stop for all
// (radio buttons, and what arrow keys walk: tabindex -1 beside a stop of the same group).
function markReachable() {
  const name = (node) => node.outerHTML.slice(0, 120);
  const left = new Set();
  for (const node of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")) {
    const shown = node.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
    if (shown && !node.disabled && node.tabIndex >= 0 && !node.closest("[inert]")) {
      left.add(node);
    }
  }
  globalThis.left = left;
  globalThis.unreached = () => [...left].filter((node) => node.checkVisibility()).map(name);
  return left.size;
}

function noteFocus() {
  const node = document.activeElement;
  globalThis.left.delete(node);
  const style = getComputedStyle(node);
  const box = node.getBoundingClientRect();
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const marked = ring || style.boxShadow !== "none";
  const inside = box.width === 0 || (box.bottom > 0 && box.top < innerHeight);
  const unseen = node !== document.body && !(marked && inside) ? node.outerHTML.slice(0, 120) : null;
  return { left: globalThis.left.size, unseen };
}

test("a page can be read without JavaScript", async () => {
  const found = await faults({ javaScriptEnabled: false }, async (page) => {
    const said = [];
    const words = (await page.locator("main").innerText()).split(/\s+/).length;
    if (words < 60) {
      said.push(`only ${words} words`);
    }
    for (const heading of await page.locator("main :is(h1, h2, h3)").all()) {
      if (!(await heading.isVisible())) {
        said.push(`hidden: ${await heading.textContent()}`);
      }
    }
    return said;
  });
  assert.deepEqual(found, []);
});
