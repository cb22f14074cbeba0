// @ts-check
// Tokens by game, in this tab, and on this device unless the player says no. Never in an address or a cookie.
// Also a seat's secret for the deal, until it is revealed; it is useless without the token.

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

/** @param {string} name */
export function read(name) {
	for (const store of stores()) {
		const found = store?.getItem(PREFIX + name);
		if (found) return found;
	}
	return "";
}

/** @param {string} name  @param {any} value */
export function write(name, value) {
	stores()[0]?.setItem(PREFIX + name, value);
}

/** @param {string} name */
export const isRemembered = name => Boolean(stores()[1]?.getItem(PREFIX + name));

export function remember(name, wanted) {
	const device = stores()[1];
	if (wanted) device?.setItem(PREFIX + name, read(name));
	else device?.removeItem(PREFIX + name);
}

/** @param {string} name */
export const preference = name => stores()[1]?.getItem(`${PREFIX}prefers:${name}`) === "yes";

export function prefer(name, wanted) {
	stores()[1]?.setItem(`${PREFIX}prefers:${name}`, wanted ? "yes" : "no");
}

/** What the player chose of several things, or "".
 * @param {string} name */
export const chosen = name => stores()[1]?.getItem(`${PREFIX}prefers:${name}`) ?? "";

export const choose = (name, value) => stores()[1]?.setItem(`${PREFIX}prefers:${name}`, value);

/** @param {string} name */
export function forget(name) {
	for (const store of stores()) store?.removeItem(PREFIX + name);
}

export function forgetAll() {
	for (const store of stores()) {
		for (const key of Object.keys(store ?? {})) if (key.startsWith(PREFIX)) store?.removeItem(key);
	}
}

/** @param {string} game */
export const tokenOf = game => `token:${game}`;

/** Whether the account on this device has a seat in a game.
 * @param {{seats: {player?: {id: string} | null}[]}} game */
export const isSeatedByAccount = ({seats}) => {
	const me = JSON.parse(read(ACCOUNT) || "null")?.player.id;
	return seats.some(({player}) => player && player.id === me);
};

/** The token for a game: the one of its seat if this device has one, otherwise the account's.
 * @param {string} game */
export const tokenFor = game => read(tokenOf(game)) || (JSON.parse(read(ACCOUNT) || "null")?.token ?? "");

export const ACCOUNT = "account"; // {token, player}, see `account.js`
export const GUEST = "guest"; // {token, player, expires_at}, see `guests.js`
const FORGETFUL = "forget-seats"; // a preference: new tokens stay in their tab

/** Keep something in this tab, and on this device unless the player says no.
 * @param {string} name  @param {string} value */
export function keepOnDevice(name, value) {
	write(name, value);
	remember(name, !preference(FORGETFUL));
}

/** Keep a token for a game in this tab and on this device, where it replaces another seat's only if `mayReplace`.
 * @param {string} game  @param {string} token */
export function keepToken(game, token, mayReplace = false) {
	const [tab, device] = stores();
	const name = PREFIX + tokenOf(game);
	const others = device?.getItem(name) && device.getItem(name) !== tab?.getItem(name);
	tab?.setItem(name, token);
	if (!preference(FORGETFUL) && (mayReplace || !others)) device?.setItem(name, token);
}

/** Whether only another tab of this browser has a seat in a game.
 * @param {string} game */
export const isSeatedElsewhere = game => isRemembered(tokenOf(game)) && !stores()[0]?.getItem(PREFIX + tokenOf(game));

/** Remember a seat on this device, and the guest who has it, or do not any more. */
export function rememberSeat(game, wanted) {
	prefer(FORGETFUL, !wanted);
	const token = read(tokenOf(game));
	remember(tokenOf(game), wanted);
	if (JSON.parse(read(GUEST) || "null")?.token === token) remember(GUEST, wanted);
}

/** The games that this device has a token for, newest first: ids begin with the time. */
export function myGames() {
	const prefix = PREFIX + tokenOf("");
	return Object.keys(stores()[1] ?? {}).filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length)).sort().reverse();
}

/** @param {string} game  @param {number} seat */
const place = (game, seat) => `entropy:${game}/${seat}`;

/** @param {string} game  @param {number} seat */
export function keepSecret(game, seat, secret) {
	write(place(game, seat), secret);
	remember(place(game, seat), true);
}

/** @param {string} game  @param {number} seat */
export const secretOf = (game, seat) => read(place(game, seat));

/** @param {string} game  @param {number | undefined} seat */
export const dropSecret = (game, seat) => seat !== undefined && forget(place(game, seat));

const KEPT = 60; // receipts of a game
const placeOfReceipts = game => `receipts:${game}`;

/** The newest receipts of a game, what the server has signed of its log. They stay in this tab. */
export const receipts = game => JSON.parse(read(placeOfReceipts(game)) || "[]");

/** Keep a receipt; true if it contradicts an earlier one. */
export function keepReceipt(game, note) {
	const kept = receipts(game);
	const [, size, root] = note.split("\n");
	const same = kept.map(one => one.split("\n")).filter(one => one[1] === size);
	if (!same.some(one => one[2] === root)) write(placeOfReceipts(game), JSON.stringify([...kept.slice(1 - KEPT), note]));
	return same.some(one => one[2] !== root);
}

const RETURN = "card-referee:return";

/**
 * Keep the address that a link brings for this tab, if it is a page of the web; return the one that is kept, or null.
 * @param {URLSearchParams} given
 */
export function returnAddress(given) {
	try {
		const brought = given.get("return");
		if (brought && isPage(brought)) sessionStorage.setItem(RETURN, brought);
		const kept = sessionStorage.getItem(RETURN);
		return kept ? new URL(kept) : null;
	} catch {
		return null; // the browser keeps nothing
	}
}

/** @param {string} address */
function isPage(address) {
	const url = URL.canParse(address) ? new URL(address) : null;
	return url !== null && (url.protocol === "https:" || (url.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname)));
}
