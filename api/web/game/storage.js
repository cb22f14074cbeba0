// Tokens by game, in this tab; on this device only on request. Never in an address or a cookie.
// Also a seat's secret for the deal, until it is revealed; it is useless without the token.

import {hex, sha256} from "../verify/verify.js";

const PREFIX = "card-referee:";

function stores() {
	return [() => sessionStorage, () => localStorage].map(get => {
		try {
			return get();
		} catch {
			return null;
		}
	});
}

export function read(name) {
	for (const store of stores()) {
		const found = store?.getItem(PREFIX + name);
		if (found) return found;
	}
	return "";
}

export function write(name, value) {
	stores()[0]?.setItem(PREFIX + name, value);
}

export const isRemembered = name => Boolean(stores()[1]?.getItem(PREFIX + name));

export function remember(name, wanted) {
	const device = stores()[1];
	if (wanted) device?.setItem(PREFIX + name, read(name));
	else device?.removeItem(PREFIX + name);
}

export const preference = name => stores()[1]?.getItem(`${PREFIX}prefers:${name}`) === "yes";

export function prefer(name, wanted) {
	stores()[1]?.setItem(`${PREFIX}prefers:${name}`, wanted ? "yes" : "no");
}

export function forget(name) {
	for (const store of stores()) store?.removeItem(PREFIX + name);
}

export function forgetAll() {
	for (const store of stores()) {
		for (const key of Object.keys(store ?? {})) if (key.startsWith(PREFIX)) store.removeItem(key);
	}
}

export const tokenOf = game => `token:${game}`;

const place = (game, seat) => `entropy:${game}/${seat}`;
const formerPlace = game => `entropy:${game}`; // of earlier releases

export function newSecret() {
	const secret = hex(crypto.getRandomValues(new Uint8Array(32)));
	return {secret, commitment: hex(sha256(secret))};
}

export function keepSecret(game, seat, secret) {
	write(place(game, seat), secret);
	remember(place(game, seat), true);
}

export const secretOf = (game, seat) => read(place(game, seat)) || read(formerPlace(game));

export function dropSecret(game, seat) {
	forget(place(game, seat));
	forget(formerPlace(game));
}
