// Checks of every page, in light and in dark, on a phone and on a desk.
//
// A page is opened once with scripts and once without; each check is a test of its findings on all pages. Pages of
// classes and modules come from one template: long checks run on every fourth, or with LEXPOOL_FULL=1 on all.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test, { before } from "node:test";
import { browse, eachOf, pagePaths, serve, visit, watchedTab } from "../site.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const WIDTHS = [390, 900, 1440];
const DESK = 1280;
const VIEWPORT = { width: 1440, height: 900 };
const LARGEST = 250 * 1024;
/** The check that depends on the widths of letters. */
const WORDS = "no word of a drawing is cut off or lies on another";

/** Marks a long check. */
const long = (check) => Object.assign(check, { long: true });

// The checks by the test's name; each returns the faults of an open page.
const CHECKS = {
  "a page logs no error": (page, seen) => [
    ...seen.errors.filter((error) => !error.includes("blocked by Playwright")),
    ...seen.failed,
  ],
  "a page asks nobody but the site": (page, seen, origin) =>
    seen.requests.filter((url) => !url.startsWith(origin) && !/^(data|blob):/.test(url)),
  "a page has at most 250 KB, WebAssembly and its pipeline apart": async (page, seen) => {
    let size = 0;
    const isApart = (url) => url.endsWith(".wasm") || url.endsWith(".lexpool");
    for (const url of new Set(seen.requests.filter((url) => url.startsWith("http") && !isApart(url)))) {
      size += (await (await fetch(url)).arrayBuffer()).byteLength;
    }
    return size > LARGEST ? [`${size} bytes`] : [];
  },
  "axe finds nothing": long(async (page, seen, origin) => {
    await page.evaluate(axe);
    // All but the list of pages: as a whole, for some rules are about whole pages.
    const where = { include: ["html"], exclude: isFirst(page, origin) ? [] : ["#starlight__sidebar"] };
    return violations(page, {}, where);
  }),
  "axe finds no lack of contrast in the dark": long(async (page, seen, origin) => {
    await theme(page, "dark");
    const found = await violations(page, { runOnly: ["color-contrast"] }, own(page, origin));
    await theme(page, "light");
    return found;
  }),
  "all of a page is reached with the Tab key, and one sees where one is": long((page, seen, origin) =>
    walked(page, own(page, origin)),
  ),
  "no page is wider than the screen": async (page) => {
    const found = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) {
        found.push(`${wide} pixels on ${width}`);
      }
    }
    return found;
  },
  "a phone shows every column of a page's own tables": async (page) => {
    await page.setViewportSize({ width: WIDTHS[0], height: 900 });
    const hidden = await page
      .locator("main table.written td")
      .evaluateAll((cells) => cells.filter((cell) => cell.getBoundingClientRect().right > innerWidth).map((cell) => cell.textContent));
    return hidden.slice(0, 5).map((text) => `off the screen: ${text.slice(0, 60)}`);
  },
  "no drawing scrolls sideways or is cut on a desk": async (page) => {
    await page.setViewportSize({ width: DESK, height: 900 });
    return page.evaluate(wideDrawings);
  },
  [WORDS]: async (page) => {
    const found = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const faults = await page.evaluate(misplaced);
      found.push(...faults.slice(0, 5).map((fault) => `${fault} at ${width} pixels`));
    }
    return found;
  },
};
const BARE = "a page can be read without JavaScript";
const found = Object.fromEntries([...Object.keys(CHECKS), BARE].map((name) => [name, []]));

let axe;
before(async () => {
  const [server, browser, paths] = await Promise.all([serve(), browse(), pagePaths()]);
  axe = await readFile(AXE, "utf8");
  try {
    const options = { serviceWorkers: "block", colorScheme: "light", reducedMotion: "reduce" };
    const context = await browser.newContext({ ...options, viewport: VIEWPORT });
    const bare = await browser.newContext({ ...options, javaScriptEnabled: false });
    const alike = paths.filter((path) => path.startsWith("/api/"));
    const brief = new Set(process.env.LEXPOOL_FULL ? [] : alike.filter((path, i) => i % 4 > 0));
    // A new tab costs as much as a page's checks, so each of three has one for all its pages.
    const tabs = await Promise.all([1, 2, 3].map(() => Promise.all([watchedTab(context), watchedTab(bare)])));
    await eachOf(paths, tabs, async (path, [tab, plain]) => {
      const { page, seen } = tab;
      await page.setViewportSize(VIEWPORT);
      await visit(tab, server.origin + path);
      await page.waitForLoadState("networkidle");
      // Scrolling boxes become stops of the Tab key once the page is idle.
      await page.evaluate(() => new Promise((idle) => requestIdleCallback(() => setTimeout(idle, 100), { timeout: 2000 })));
      await page.waitForFunction(stopsAreSet, null, { timeout: 5000 }).catch(() => {});
      for (const [name, check] of Object.entries(CHECKS)) {
        if (check.long && brief.has(path)) {
          continue;
        }
        found[name].push(...(await check(page, seen, server.origin)).map((fault) => `${path}: ${fault}`));
      }
      await visit(plain, server.origin + path);
      found[BARE].push(...(await unreadable(plain.page)).map((fault) => `${path}: ${fault}`));
    });
  } finally {
    await browser.close();
    await server.close();
  }
});

for (const [name, faults] of Object.entries(found)) {
  const skip = name === WORDS && process.env.UNUSUAL_FONTS ? "this machine has no usual fonts" : false;
  test(name, { skip }, () => assert.deepEqual(faults.sort(), []));
}

/** Whether a page is the one where what stands around all of them is looked at. */
function isFirst(page, origin) {
  return page.url() === `${origin}/`;
}

/** The part of a page that is looked at there. */
function own(page, origin) {
  return isFirst(page, origin) ? "body" : "main";
}

async function violations(page, options, where) {
  const run = ([where, options]) => globalThis.axe.run(where, options);
  const { violations } = await page.evaluate(run, [where, options]);
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 5).map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}

function theme(page, name) {
  return page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
  }, name);
}

// In the page: whether blocks of code that scroll can be reached; where they cannot, the checks say so.
function stopsAreSet() {
  return [...document.querySelectorAll("pre")].every((pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex >= 0);
}

// In the page: drawings that are wider than their box, and boxes of drawings that leave the page's column.
function wideDrawings() {
  const faults = [];
  const column = document.querySelector("main .sl-markdown-content")?.getBoundingClientRect();
  for (const figure of document.querySelectorAll("main figure:not(.expressive-code figure)")) {
    for (const node of [figure, ...figure.querySelectorAll("*:not(svg *, pre, pre *, table, table *, .wide, .scroll)")]) {
      // Text for screen readers only is a pixel wide.
      if (node.clientWidth <= 1) {
        continue;
      }
      const scrolls = getComputedStyle(node).overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1;
      const leaves = column && node.getBoundingClientRect().right > column.right + 1;
      if (scrolls || leaves) {
        const title = figure.querySelector("title, figcaption")?.textContent.trim().slice(0, 60);
        faults.push(`${title}: <${node.localName}> ${scrolls ? "scrolls" : "leaves the column"}`);
        break;
      }
    }
  }
  return faults;
}

// In the page: words of a drawing that leave it or cover each other, and boxes whose words do not fit where nothing
// scrolls. Transparent and hidden text is ignored.
function misplaced() {
  const faults = [];
  const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  for (const svg of document.querySelectorAll("main svg[role=img]")) {
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() && shown(text));
    const frame = svg.getBoundingClientRect();
    const boxes = texts.map((text) => text.getBoundingClientRect());
    boxes.forEach((box, i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
        faults.push(`outside: ${texts[i].textContent}`);
      }
      boxes.slice(i + 1).forEach((other, j) => {
        const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        // Boxes of lines reach over their letters, so neighbours touch.
        const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (across > 2 && down > Math.min(box.height, other.height) / 2) {
          faults.push(`${texts[i].textContent} lies on ${texts[i + 1 + j].textContent}`);
        }
      });
    });
  }
  for (const node of document.querySelectorAll("main .not-content *:not(svg *)")) {
    const { overflowX, textOverflow } = getComputedStyle(node);
    const clips = (overflowX === "hidden" || overflowX === "clip") && textOverflow !== "ellipsis";
    // Text for screen readers only is a pixel wide.
    if (clips && node.clientWidth > 1 && shown(node) && node.scrollWidth > node.clientWidth + 1) {
      faults.push(`cut off: ${node.textContent.trim().slice(0, 60)}`);
    }
  }
  return faults;
}

async function walked(page, where) {
  const wanted = await page.evaluate(watchFocus, where);
  // Some more than are wanted: the browser's own stops, such as a block of code that scrolls.
  for (let press = 0; press < wanted + 40; press += 1) {
    await page.keyboard.press("Tab");
    if (press >= wanted && (await page.evaluate(() => globalThis.walk.left.size === 0))) {
      break;
    }
  }
  const { missed, unseen } = await page.evaluate(() => ({
    missed: [...globalThis.walk.left].filter((node) => node.checkVisibility()).map(globalThis.walk.name),
    unseen: [...globalThis.walk.unseen],
  }));
  return [
    ...missed.slice(0, 5).map((what) => `not reached: ${what}`),
    ...unseen.slice(0, 5).map((what) => `focus not to be seen: ${what}`),
  ];
}

// In the page: everything in a part that one can act upon, but for what is hidden, and groups with one stop for all
// (radio buttons, and what arrow keys walk: tabindex -1 beside a stop of the same group). From then on it is
// noted where the focus goes, and whether one sees it there. The walk begins in front of the part.
function watchFocus(where) {
  const name = (node) => node.outerHTML.slice(0, 120);
  const walk = { left: new Set(), unseen: new Set(), name };
  const part = document.querySelector(where);
  for (const node of part.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")) {
    const shown = node.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
    const inGroup = node.type === "radio" && !node.checked;
    if (shown && !node.disabled && !inGroup && node.tabIndex >= 0 && !node.closest("[inert]")) {
      walk.left.add(node);
    }
  }
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
  part.removeAttribute("tabindex");
  document.addEventListener("focusin", ({ target }) => {
    walk.left.delete(target);
    const style = getComputedStyle(target);
    const box = target.getBoundingClientRect();
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    const inside = box.width === 0 || (box.bottom > 0 && box.top < innerHeight);
    if (!(ring || style.boxShadow !== "none") || !inside) {
      walk.unseen.add(name(target));
    }
  });
  globalThis.walk = walk;
  return walk.left.size;
}

async function unreadable(page) {
  const said = [];
  const words = (await page.locator("main").innerText()).split(/\s+/).length;
  // A small class has no more to say.
  if (words < 30) {
    said.push(`only ${words} words`);
  }
  const hidden = await page
    .locator("main :is(h1, h2, h3)")
    .evaluateAll((all) => all.filter((node) => !node.checkVisibility()).map((node) => node.textContent));
  return [...said, ...hidden.map((heading) => `hidden: ${heading}`)];
}
