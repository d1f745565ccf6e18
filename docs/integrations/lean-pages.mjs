// Takes from each page what changes nothing in it: the scoped class of the words of the sidebar's links, where no
// rule applies (5 KB), and the colours of plain text in samples, which they inherit (up to 10 KB).
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A link whose only child has the class of its component, as Starlight's sidebar makes it. */
const LINK = /(<a\b[^>]*\bclass="[^"]*\b(astro-\w+)"[^>]*>)<span class="\2">([^<]*)<\/span><\/a>/g;
/** Words of a sample in the colours of the themes' plain text, those of `--ec-codeFg`. */
const PLAIN = /<span style="--0:#E6EDF3;--1:#1F2328">([^<]*)<\/span>/g;

export function leanPages() {
  return {
    name: "lean-pages",
    hooks: {
      "astro:build:done": async ({ dir }) => {
        const root = fileURLToPath(dir);
        for (const file of await readdir(root, { recursive: true })) {
          if (file.endsWith(".html") && !file.startsWith("rust")) {
            const path = join(root, file);
            const page = await readFile(path, "utf8");
            await writeFile(path, page.replace(LINK, "$1<span>$3</span></a>").replace(PLAIN, "$1"));
          }
        }
      },
    },
  };
}
