// Writes the service worker, which has every page of the site with it when the network is gone.
//
// It is made from what lies in dist/ in the end, so nothing can be listed that is not there. The name of
// its cache is a hash of all that: a changed site is a new cache, and the old one goes when the new one
// is whole. The Rust reference is large and is fetched behind the rest.
import { createHash } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const WORKER = new URL("./worker.js", import.meta.url);

export function offline() {
  let base = "/";
  return {
    name: "offline",
    hooks: {
      "astro:config:done": ({ config }) => {
        base = config.base.replace(/\/?$/, "/");
      },
      "astro:build:done": async ({ dir, logger }) => {
        const root = fileURLToPath(dir);
        const files = (await readdir(root, { recursive: true, withFileTypes: true }))
          .filter((entry) => entry.isFile())
          .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
          .filter((file) => file !== "sw.js" && !file.endsWith(".map"))
          .sort();
        const sum = createHash("sha256");
        for (const file of files) {
          sum.update(file).update(await readFile(join(root, file)));
        }
        const addresses = files.map((file) => base + file.replace(/(^|\/)index\.html$/, "$1"));
        const settings = {
          version: sum.digest("hex").slice(0, 16),
          base,
          site: addresses.filter((address) => !address.startsWith(`${base}rust/`)),
          reference: addresses.filter((address) => address.startsWith(`${base}rust/`)),
        };
        const worker = await readFile(WORKER, "utf8");
        await writeFile(join(root, "sw.js"), `const SITE = ${JSON.stringify(settings)};\n${worker}`);
        logger.info(`${settings.site.length} files offline, ${settings.reference.length} of the Rust reference`);
      },
    },
  };
}
