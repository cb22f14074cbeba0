// @ts-check
// Who this browser is where it starts or joins a game: its account, or its guest, who is the same in all tabs and games.

import {account, kept} from "./account.js";
import {client} from "./client.js";
import {forget, GUEST, keepOnDevice} from "./storage.js";

/** The guest as whom this device plays, or null: {token, player, expires_at}. */
export function known() {
	const guest = kept(GUEST);
	return guest && new Date(guest.expires_at) > new Date() ? guest : null;
}

export const forgetGuest = () => forget(GUEST);

/** The account on this device; without one, its guest, who takes a new name, or a new guest.
 * @param {string} name */
export async function guest(name) {
	if (account()) return account();
	const before = known();
	const player = before && await renamed(client(before.token), name);
	const me = player ? {...before, player} : await client().json("/v1/guests", {method: "POST", body: {name}});
	keepOnDevice(GUEST, JSON.stringify(me));
	return me;
}

/** The guest with this name, or null if it is no longer one. */
async function renamed(api, name) {
	try {
		const {player} = await api.json("/v1/me");
		return player.name === name ? player : await api.json("/v1/me", {method: "PATCH", body: {name}});
	} catch (error) {
		if (error.status === 401) return null;
		throw error;
	}
}
