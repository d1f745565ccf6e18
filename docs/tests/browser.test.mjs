// The browser that the tests of the site choose.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { find, installed } from "./browser.mjs";

/** Calls `work` with other variables of the environment, and with the path of an empty folder. */
async function within(variables, work) {
  const folder = await mkdtemp(join(tmpdir(), "browser-"));
  const before = Object.fromEntries(["CHROMIUM", "PATH"].map((name) => [name, process.env[name]]));
  const set = (name, value) => (value === undefined ? delete process.env[name] : (process.env[name] = value));
  try {
    Object.entries(variables(folder)).forEach(([name, value]) => set(name, value));
    await work(folder);
  } finally {
    Object.entries(before).forEach(([name, value]) => set(name, value));
    await rm(folder, { recursive: true });
  }
}

test("browsers are found on PATH, Chromium first", () =>
  within(
    (folder) => ({ CHROMIUM: undefined, PATH: folder }),
    async (folder) => {
      const suffix = process.platform === "win32" ? ".exe" : "";
      const [edge, chromium] = ["msedge", "chromium"].map((name) => join(folder, name + suffix));
      await writeFile(edge, "");
      assert.equal(installed()[0], edge);
      await writeFile(chromium, "");
      assert.deepEqual(installed().slice(0, 2), [chromium, edge]);
    },
  ));

test("a browser that CHROMIUM names is the only one, and an error names it if it is missing or does not start", () =>
  within(
    (folder) => ({ CHROMIUM: join(folder, "own") }),
    async (folder) => {
      const own = join(folder, "own");
      assert.throws(installed, { message: `CHROMIUM names ${own}, which does not exist` });
      await writeFile(own, "no program");
      assert.deepEqual(installed(), [own]);
      await assert.rejects(find, (error) => error.message.startsWith(`${own} does not start (`));
    },
  ));
