// Stands in for Pagefind's search, which is as large as a page: it comes when somebody opens the search.
//
// Starlight makes a `PagefindUI` on every page as soon as that has time; this one only waits.

// By its file: the package's own name leads here.
const load = () => import("../../node_modules/@pagefind/default-ui/npm_dist/mjs/ui-core.mjs");

export class PagefindUI {
  constructor(options) {
    const dialog = document.querySelector("site-search dialog");
    const begin = async () => {
      watch.disconnect();
      try {
        const { PagefindUI: Search } = await load();
        new Search(options);
        dialog.querySelector("input")?.focus();
      } catch {
        // The network was gone; the next time it may be there.
        wait();
      }
    };
    const watch = new MutationObserver(() => dialog.open && begin());
    const wait = () => watch.observe(dialog, { attributeFilter: ["open"] });
    wait();
    // It may have been opened before there was time for this.
    if (dialog.open) {
      begin();
    }
  }
}
