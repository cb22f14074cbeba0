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

const place = (game, seat) => `${game}/${seat}`;

export const keep = (game, seat, key) => (key ? keys(all => all.put(key, place(game, seat))) : null);
/** Delete the key of a seat, all of a game, or all. */
export const drop = (game, seat) => keys(all => {
	if (seat !== undefined) return all.delete(place(game, seat));
	return game ? all.delete(IDBKeyRange.bound(game, place(game, ":"))) : all.clear();
}).catch(() => {});

const SIGNED = {// what a seat's key signs of a request
	"/moves": ({move}) => ({type: "moved", move}),
	"/resignation": () => ({type: "resigned"}),
	"/take-back": () => ({type: "take_back_requested"}),
	"/take-back/answer": ({agree}) => ({type: `take_back_${agree ? "agreed" : "refused"}`}),
	"/vacation": ({days}) => ({type: "vacation_taken", days}),
	"/pause": () => ({type: "pause_agreed"}),
	"/ending": ({ending}) => ({type: "ending_agreed", ending}),
	"/resumption": () => ({type: "resumed"}),
	"/key-retirement": () => ({type: "key_retired"}),
	"/orders": ({orders}) => ({type: "orders",
		...(orders.every(one => Object.keys(one).length === 1) ? {moves: orders.map(({move}) => move)} : {orders})}),
};

/** A request with the signature of the seat's key, if it is one that is signed. */
export async function signed(game, path, body) {
	const {seat} = body;
	return SIGNED[path] ? {...body, signed: await sign(game, {seat, ...SIGNED[path](body)})} : body;
}

async function sign(game, action) {
	const key = await keys(all => all.get(place(game.id, action.seat))).catch(() => null);
	const message = toSign(game.commitment, game.head, action);
	return key && {previous: game.head, signature: hex(new Uint8Array(await crypto.subtle.sign("Ed25519", key, message)))};
}

const TRIES = 5; // somebody else may act at the same time

/** Give up the key of a seat, so that its player acts on every device; whether this browser has it.
 * @param {any} api  @param {string} game  @param {number} seat */
async function giveUp(api, game, seat) {
	for (let tries = 1; ; tries += 1) {
		const signed = await sign(await api.json(`/v1/games/${game}`), {type: "key_retired", seat});
		if (!signed) return false;
		try {
			await api.json(`/v1/games/${game}/key-retirement`, {method: "POST", body: {seat, signed}});
			await drop(game, seat);
			return true;
		} catch (error) {
			if (error.status !== 412 || tries === TRIES) throw error;
		}
	}
}

/** Give up the keys of all seats of a player in a game, so that it acts on every device; whether none is missing here.
 * @param {any} api  @param {string} game  @param {string} player */
export async function release(api, game, player) {
	const {seats} = await api.json(`/v1/games/${game}`);
	const mine = seats.filter(one => one.public_key && one.player?.id === player);
	const done = await Promise.all(mine.map(({seat}) => giveUp(api, game, seat)));
	return done.every(Boolean);
}

/** Do so in all games; what fails now is done when the table is opened. */
export async function releaseAll(api, player) {
	const names = await keys(all => all.getAllKeys()).catch(() => []);
	for (const game of new Set(names.map(name => name.split("/")[0]))) await release(api, game, player).catch(() => null);
}
