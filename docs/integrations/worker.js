// The service worker; SITE stands before this, see offline.mjs.
//
// All of the site is fetched at installation, and answered from there: a page and its scripts are of one
// version, with a network or without. A new version waits until no page of the old one is open.

// Other sites may share the origin, under other paths, and have caches there.
const OURS = `lexpool:${SITE.base}:`;
const PAGES = `${OURS}site:${SITE.site.version}`;
const REFERENCE = `${OURS}rust:${SITE.reference.version}`;

self.addEventListener("install", (event) => {
  event.waitUntil(fill(PAGES, SITE.site.addresses));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith(OURS) && name !== PAGES && name !== REFERENCE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// A page asks for the Rust reference once it is idle; what is there already is not fetched again.
self.addEventListener("message", (event) => {
  if (event.data === "reference") {
    event.waitUntil(fill(REFERENCE, SITE.reference.addresses).catch(() => {}));
  }
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method === "GET" && url.origin === self.location.origin) {
    event.respondWith(answer(event.request, url.pathname.replace(/\/index\.html$/, "/")));
  }
});

async function answer(request, path) {
  const name = path.startsWith(`${SITE.base}rust/`) ? REFERENCE : PAGES;
  const cache = await caches.open(name);
  const kept = await cache.match(path, { ignoreVary: true });
  if (kept) {
    return kept;
  }
  try {
    return await fetch(request);
  } catch (error) {
    const pages = await caches.open(PAGES);
    const missing = request.mode === "navigate" && (await pages.match(`${SITE.base}404.html`));
    if (missing) {
      return new Response(missing.body, { status: 404, headers: missing.headers });
    }
    throw error;
  }
}

// A few at a time: a site of hundreds of files must not take all of a server's connections.
async function fill(name, addresses) {
  const cache = await caches.open(name);
  const there = new Set((await cache.keys()).map((request) => new URL(request.url).pathname));
  const todo = addresses.filter((address) => !there.has(address));
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let address = todo.shift(); address; address = todo.shift()) {
        const response = await fetch(address, { cache: "no-cache" });
        if (!response.ok) {
          throw new Error(`${address}: ${response.status}`);
        }
        await cache.put(address, response);
      }
    }),
  );
}
