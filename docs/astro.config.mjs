// The site: Starlight's pages from src/content/docs, and the additions of a build.
//
// SITE_BASE is the path under which it is served, such as /lexpool/; it is / when not given.
import { fileURLToPath } from "node:url";
import { defineConfig } from "astro/config";
import starlight from "@astrojs/starlight";
import { satteri } from "@astrojs/markdown-satteri";
import { basedLinks } from "./integrations/based-links.mjs";
import { rustReference } from "./integrations/rust-reference.mjs";
import { leanPages } from "./integrations/lean-pages.mjs";
import { offline } from "./integrations/offline.mjs";
import { wideTables } from "./integrations/wide-tables.mjs";

const base = (process.env.SITE_BASE ?? "/").replace(/\/?$/, "/");

const group = (label, directory, collapsed = false) => ({
  label,
  collapsed,
  items: [{ autogenerate: { directory } }],
});

// Astro marks its own modules with a directive that the bundler does not know, one warning a page.
const unlessOfAstro = (warning, warn) => warning.code === "MODULE_LEVEL_DIRECTIVE" || warn(warning);

const searchLater = fileURLToPath(new URL("./src/scripts/search-later.js", import.meta.url));

export default defineConfig({
  base,
  trailingSlash: "always",
  // Requests to other sites would reveal the reader to them.
  prefetch: false,
  markdown: {
    processor: satteri({
      mdastPlugins: [basedLinks(base)],
      hastPlugins: [wideTables()],
      // Members of classes have explicit addresses: {#doc.to_array}.
      features: { headingAttributes: true },
    }),
  },
  vite: {
    build: { rolldownOptions: { onwarn: unlessOfAstro } },
    resolve: { alias: [{ find: /^@pagefind\/default-ui$/, replacement: searchLater }] },
  },
  integrations: [
    starlight({
      title: "lexpool",
      description: "spaCy's data structures in Rust, explained with drawings and samples that run",
      favicon: "/favicon.svg",
      components: { Search: "./src/components/Search.astro" },
      customCss: ["./src/styles/site.css", "./src/styles/api.css"],
      head: [
        { tag: "link", attrs: { rel: "manifest", href: `${base}site.webmanifest` } },
        { tag: "script", attrs: { type: "module", src: `${base}offline.js` } },
        { tag: "script", attrs: { type: "module", src: `${base}wide.js` } },
      ],
      // A short page about the searched term comes before a long one that only mentions it.
      pagefind: { ranking: { pageLength: 0.5 } },
      lastUpdated: false,
      credits: false,
      expressiveCode: {
        themes: ["github-dark-default", "github-light-default"],
        styleOverrides: {
          borderRadius: "0.4rem",
          borderColor: "var(--sl-color-gray-5)",
          codeFontSize: "0.85rem",
          frames: {
            shadowColor: "transparent",
            editorActiveTabIndicatorTopColor: "var(--sl-color-accent)",
            editorActiveTabIndicatorBottomColor: "transparent",
          },
        },
      },
      sidebar: [
        group("Start here", "start"),
        { label: "Try it", slug: "try" },
        group("Architecture", "architecture"),
        { label: "Languages", slug: "languages" },
        group("Conventions and kernels", "conventions"),
        group("Records", "records"),
        group("Registry and plugins", "registry"),
        group("Classes and functions", "api", true),
        group("Files, byte by byte", "files"),
        group("Moving from spaCy", "moving"),
        group("Benchmarks", "benchmarks"),
        { label: "Errors", slug: "errors" },
        { label: "Errors of spaCy", slug: "errors-of-spacy" },
        { label: "Limits", slug: "limits" },
        { label: "Reliability", slug: "reliability" },
        { label: "Comparison", slug: "comparison" },
      ],
    }),
    rustReference(),
    leanPages(),
    // Last: it lists what the others have put there.
    offline(),
  ],
});
