// @ts-check
// The account that is signed in on this device, if any: its token opens all its games.

import {ACCOUNT, forget, read, remember, write} from "./storage.js";

export function keep(name, value) {
	write(name, JSON.stringify(value));
	remember(name, true);
}

export const kept = name => JSON.parse(read(name) || "null");

/** {token, player} of the account on this device, or null. */
export const account = () => kept(ACCOUNT);

export const signedIn = (token, player) => keep(ACCOUNT, {token, player});

export const signedOut = () => forget(ACCOUNT);
