// @ts-check
// Push messages, which reach players while the table is closed.

import {pause} from "../game/client.js";
import {t} from "../texts.js";

// Every player has a key, which needs its own registration.
const scope = player => `/web/pages/${player}`;

const can = () => Boolean(navigator.serviceWorker) && "PushManager" in window; // on encrypted pages only

/** What this browser gets of a player's push messages, if it gets them. */
export async function subscription(player) {
	const registration = can() && await navigator.serviceWorker.getRegistration(scope(player));
	return registration ? registration.pushManager.getSubscription() : null;
}

/** Let the messages go on after signing in again: they end with the token that subscribed this browser. */
export async function renewPush(api, player) {
	const made = await subscription(player);
	if (made) await api.once("/v1/me/push-subscriptions", made.toJSON());
}

/** Switch push messages to this browser on or off; return a note about it. */
export async function togglePush(api, player) {
	if (!can()) return t("This browser does not support push messages.");
	const registration = await navigator.serviceWorker.register("/web/pages/push-worker.js", {scope: scope(player)});
	const taken = await registration.pushManager.getSubscription();
	if (await taken?.unsubscribe()) return t("Push messages are off."); // the server learns it with the next one
	while (!registration.active) await pause(0.05);
	const {key} = await api.json("/v1/me/push-subscriptions");
	const made = await registration.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: key});
	await api.once("/v1/me/push-subscriptions", made.toJSON());
	return t("Push messages are on.");
}

/** The same at a table, for the player of a seat. */
export const push = ({api, newest}, seat) => togglePush(api, newest.seats[seat].player.id);
