// Push messages, which reach players while the table is closed.

import {pause} from "../game/client.js";

/** Switch push messages to this browser on or off; return a note about it. */
export async function push({api, newest}, seat) {
	const browser = navigator.serviceWorker; // on encrypted pages only
	if (!browser || !("PushManager" in window)) return "This browser does not support push messages.";
	// Every player has a key, which needs its own registration.
	const registration = await browser.register("/web/pages/push-worker.js", {scope: `/web/pages/${newest.seats[seat].player.id}`});
	const taken = await registration.pushManager.getSubscription();
	if (await taken?.unsubscribe()) return "Push messages are off."; // the server learns it with the next one
	while (!registration.active) await pause(0.05);
	const {key} = await api.json("/v1/me/push-subscriptions");
	const made = await registration.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: key});
	await api.once("/v1/me/push-subscriptions", made.toJSON());
	return "Push messages are on.";
}
