// Registers the service worker that keeps the site for reading without a network.
if ("serviceWorker" in navigator) {
  const worker = new URL("sw.js", import.meta.url);
  addEventListener("load", async () => {
    try {
      await navigator.serviceWorker.register(worker);
      const ready = await navigator.serviceWorker.ready;
      const later = globalThis.requestIdleCallback ?? ((work) => setTimeout(work, 2000));
      later(() => ready.active?.postMessage("reference"));
    } catch {
      // Without it the site is the same, but for being there offline: private windows refuse it.
    }
  });
}
