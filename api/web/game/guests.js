// The guest that this browser is where it starts a game.

import {client} from "./client.js";
import {read, write} from "./storage.js";

/** The guest of a name: the one known here, or a new one. */
export async function guest(name) {
	const kept = JSON.parse(read("guest") || "null");
	if (kept?.player.name === name) return kept;
	const made = await client().json("/v1/guests", {method: "POST", body: {name}});
	write("guest", JSON.stringify(made));
	return made;
}

export const forgetGuest = () => write("guest", "");
