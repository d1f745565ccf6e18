// Puts rustdoc's pages under rust/. RUST_DOC is the folder that `cargo doc` wrote.
import { cp, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

export function rustReference() {
  return {
    name: "rust-reference",
    hooks: {
      "astro:build:done": async ({ dir, logger }) => {
        const from = process.env.RUST_DOC;
        if (!from) {
          logger.warn("RUST_DOC is not set: links to rust/ will be broken; `make docs` sets it");
          return;
        }
        await stat(`${from}/lexpool/index.html`);
        // Cargo's lock lies there too, and some hosts refuse such names.
        const filter = (path) => !basename(path).startsWith(".");
        await cp(from, fileURLToPath(new URL("rust/", dir)), { recursive: true, filter });
      },
    },
  };
}
