// The service worker; SITE stands before this, see offline.mjs.
//
// All of the site is fetched at installation, and answered from there: a page and its scripts are always
// of one version, with a network or without.

const CACHE = `lexpool-${SITE.version}`;

self.addEventListener("install", (event) => {
  event.waitUntil(fill(SITE.site).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// A page asks for the Rust reference once it is idle; what is there already is not fetched again.
self.addEventListener("message", (event) => {
  if (event.data === "reference") {
    event.waitUntil(fill(SITE.reference).catch(() => {}));
  }
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method === "GET" && url.origin === self.location.origin) {
    event.respondWith(answer(event.request, url));
  }
});

async function answer(request, url) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(url.pathname, { ignoreVary: true });
  if (kept) {
    return kept;
  }
  try {
    return await fetch(request);
  } catch (error) {
    const missing = request.mode === "navigate" && (await cache.match(`${SITE.base}404.html`));
    if (missing) {
      return new Response(missing.body, { status: 404, headers: missing.headers });
    }
    throw error;
  }
}

// A few at a time: a site of hundreds of files must not take all of a server's connections.
async function fill(addresses) {
  const cache = await caches.open(CACHE);
  const there = new Set((await cache.keys()).map((request) => new URL(request.url).pathname));
  const todo = addresses.filter((address) => !there.has(address));
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let address = todo.pop(); address; address = todo.pop()) {
        const response = await fetch(address, { cache: "no-cache" });
        if (!response.ok) {
          throw new Error(`${address}: ${response.status}`);
        }
        await cache.put(address, response);
      }
    }),
  );
}
