// Push messages: what reaches a player while the table is closed.

import {pause} from "../game/client.js";

/** Let push messages come to this browser, or none any more; return what to say of it. */
export async function push({api, newest}, seat) {
	const browser = navigator.serviceWorker; // on encrypted pages only
	if (!browser || !("PushManager" in window)) return "This browser takes no push messages.";
	// Every player has a key of its own, which takes a registration of its own.
	const registration = await browser.register("/web/pages/push-worker.js", {scope: `/web/pages/${newest.seats[seat].player.id}`});
	const taken = await registration.pushManager.getSubscription();
	if (await taken?.unsubscribe()) return "No more push messages come here."; // the server learns by the next one
	while (!registration.active) await pause(0.05);
	const {key} = await api.json("/v1/me/push-subscriptions");
	const made = await registration.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: key});
	await api.once("/v1/me/push-subscriptions", made.toJSON());
	return "Push messages come to this browser.";
}
