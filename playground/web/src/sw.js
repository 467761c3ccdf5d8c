// Keeps the files of the page, so that it opens without a network. What is on the server now comes first where it can
// be had in time; a new version takes the place of the old one as a whole.

const CACHE = `babycuda-${VERSION}`;

addEventListener('install', (event) => {
  const all = caches.open(CACHE).then((cache) => cache.addAll(FILES));
  event.waitUntil(all.then(() => self.skipWaiting()));
});

addEventListener('activate', (event) => {
  const drop = caches.keys().then((keys) => Promise.all(keys.filter((key) => key.startsWith('babycuda-') && key !== CACHE).map((key) => caches.delete(key))));
  event.waitUntil(drop.then(() => self.clients.claim()));
});

addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== location.origin) return;
  event.respondWith(caches.open(CACHE).then(async (cache) => (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request)));
});
