// @ts-check
// Who this browser is where it starts a game: its account, or a guest.

import {account} from "./account.js";
import {client} from "./client.js";
import {read, write} from "./storage.js";

/** The guest as whom this browser started games, or null. */
export const known = () => JSON.parse(read("guest") || "null");

/** The account on this device; without one, the guest of a name: the one known here, or a new one. */
export async function guest(name) {
	if (account()) return account();
	const kept = known();
	if (kept?.player.name === name) return kept;
	const made = await client().json("/v1/guests", {method: "POST", body: {name}});
	write("guest", JSON.stringify(made));
	return made;
}

export const forgetGuest = () => write("guest", "");
