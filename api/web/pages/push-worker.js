// @ts-check
// A service worker: it shows push messages; a tap opens the game.

const worker = /** @type {any} */ (self);

worker.addEventListener("push", event => {
	const {title, tag, url} = event.data.json();
	event.waitUntil(worker.registration.showNotification(title, {tag, data: url, icon: "/web/styles/icon.svg"}));
});

worker.addEventListener("notificationclick", event => {
	event.notification.close();
	event.waitUntil(worker.clients.openWindow(event.notification.data));
});
