// A service worker: it shows push messages; a tap opens the game.

self.addEventListener("push", event => {
	const {title, tag, url} = event.data.json();
	event.waitUntil(self.registration.showNotification(title, {tag, data: url, icon: "/web/styles/icon.svg"}));
});

self.addEventListener("notificationclick", event => {
	event.notification.close();
	event.waitUntil(self.clients.openWindow(event.notification.data));
});
