// @ts-check
// A player's own key for a seat, which stays in the browser. Only pages over HTTPS have one.
// Acting also needs the token. All tabs share the keys: each may have a seat of its own in the same game.

import {hex, sha256, toSign} from "../verify/encoding.js";

export function newSecret() {
	const secret = hex(crypto.getRandomValues(new Uint8Array(32)));
	return {secret, commitment: hex(sha256(secret))};
}

const keys = ask => new Promise((done, failed) => {
	const opening = indexedDB.open("card-referee", 1);
	opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
	opening.onerror = failed;
	opening.onsuccess = () => {
		const asked = ask(opening.result.transaction("keys", "readwrite").objectStore("keys"));
		asked.onsuccess = () => done(asked.result);
		asked.onerror = failed;
	};
});

/** Make a key that can be kept: `{own, public_key}`, or {} if this browser cannot. */
export async function newKey() {
	try {
		const {privateKey, publicKey} = await crypto.subtle.generateKey("Ed25519", false, ["sign"]);
		await keys(all => all.count());
		return {own: privateKey, public_key: hex(new Uint8Array(await crypto.subtle.exportKey("raw", publicKey)))};
	} catch {
		return {};
	}
}

const place = (game, seat) => `${game}/${seat}`; // earlier releases: the game alone

export const keep = (game, seat, key) => (key ? keys(all => all.put(key, place(game, seat))) : null);
/** Delete the key of a seat, all of a game, or all. */
export const drop = (game, seat) => keys(all => {
	if (seat !== undefined) return all.delete(place(game, seat));
	return game ? all.delete(IDBKeyRange.bound(game, place(game, ":"))) : all.clear();
}).catch(() => {});

export async function sign(game, action) {
	const [key] = await keys(all => all.getAll(IDBKeyRange.only(place(game.id, action.seat))))
		.then(found => (found.length ? found : keys(all => all.getAll(game.id)))).catch(() => []);
	const message = toSign(game.commitment, game.head, action);
	return key && {previous: game.head, signature: hex(new Uint8Array(await crypto.subtle.sign("Ed25519", key, message)))};
}
