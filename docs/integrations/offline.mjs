// Writes the service worker, which has every page of the site with it when the network is gone.
//
// It is made from what lies in dist/ in the end, so every listed file exists. Caches are named
// by a hash of what they hold: one for the site, and one for the Rust reference, which is large, is fetched
// behind the rest, and stays when only pages have changed.
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
        const settings = {
          base,
          site: await part(root, base, files.filter((file) => !file.startsWith("rust/"))),
          reference: await part(root, base, files.filter((file) => file.startsWith("rust/"))),
        };
        const worker = await readFile(WORKER, "utf8");
        await writeFile(join(root, "sw.js"), `const SITE = ${JSON.stringify(settings)};\n${worker}`);
        const counts = [settings.site, settings.reference].map(({ addresses }) => addresses.length);
        logger.info(`${counts[0]} files offline, ${counts[1]} of the Rust reference`);
      },
    },
  };
}

/** The addresses of some files, and a version that changes with any of them. */
async function part(root, base, files) {
  const sum = createHash("sha256");
  for (const file of files) {
    sum.update(file).update(await readFile(join(root, file)));
  }
  return {
    version: sum.digest("hex").slice(0, 16),
    addresses: files.map((file) => base + file.replace(/(^|\/)index\.html$/, "$1")),
  };
}
