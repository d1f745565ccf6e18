// Runs the tests of the site. Those in `browser/` are skipped where no browser is found and none can be fetched, and
// the last lines say so.
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { find } from "./browser.mjs";

const found = await find();
const files = found.env ? ["*.test.mjs", "browser/*.test.mjs"] : ["*.test.mjs"];
const run = spawnSync(process.execPath, ["--test", "--test-timeout=900000", ...files], {
  cwd: dirname(fileURLToPath(import.meta.url)),
  env: { ...process.env, ...found.env },
  stdio: "inherit",
});
if (!found.env) {
  console.log(`docs-test: skipped the tests in docs/tests/browser, no browser: ${found.reason}`);
  console.log("docs-test: install Chromium, Chrome or Edge, or name one in CHROMIUM=path");
}
process.exitCode = run.status ?? 1;
