// @ts-check
// Signing in by a link in a mail, and out.

import {account, keep, kept, signedIn, signedOut} from "../game/account.js";
import {client, newKey} from "../game/client.js";
import {releaseAll} from "../game/keys.js";
import {forgetGuest, known} from "../game/guests.js";
import {chosen, forget, myGames, read, tokenOf} from "../game/storage.js";
import {renewPush} from "../pages/notices.js";
import {language, moment, t} from "../texts.js";

const ASKED = "sign-in";
const TYPED_WITHIN = 10 * 60_000; // milliseconds in which the code in the mail can be typed
const MOST_GUESTS = 20; // that an account adopts at once
const DEVICE = "device-key"; // stays after signing out: strangers who ask for links do not use up this device's

/** Have a link mailed, which carries the guest of this device along. `then`: {next: the page to open, move: whether the
 * address becomes the account's}. */
export async function askForLink(address, then = {}) {
	const body = {address, device_key: kept(DEVICE) ?? undefined};
	const [guest] = account() ? [] : await guestsHere(then.next);
	const {id, expires_at: until} = await client(guest?.token).json("/v1/sign-ins", {method: "POST", body});
	keep(ASKED, {...then, id, at: Date.now()});
	// Wherever the link is opened, the account can act: the keys of these seats are here alone.
	if (guest) await releaseAll(client(guest.token), guest.player.id);
	return until;
}

/** What this browser asked for, if it asked for the link with this id. */
export const askedHere = id => (kept(ASKED)?.id === id ? kept(ASKED) : null);

/** The link that this browser asked for, while the code in its mail can be typed here; or null. */
export const askedLately = () => (kept(ASKED)?.at > Date.now() - TYPED_WITHIN ? kept(ASKED) : null);

/** "Firefox on Android" */
export function deviceName(agent = navigator.userAgent) {
	const first = (names, otherwise) => names.find(([mark]) => agent.includes(mark))?.[1] ?? otherwise;
	const browser = first([["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]], t("a browser"));
	const system = first([["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "Mac"], ["Linux", "Linux"]], "");
	return system ? t("{browser} on {system}", {browser, system}) : browser;
}

/** The guests of this server that play on this device: [{token, player}], first the one of a table, then the one of new games. */
export async function guestsHere(next = "") {
	const [, game] = /^\/table\/([0-9a-f-]{36})/.exec(next) ?? [];
	const playing = id => id && !chosen(`mailed:${id}`) && read(tokenOf(id)); // the token of a mail's link is good for its game only
	const tokens = new Set([playing(game), known()?.token, ...myGames().map(playing)].filter(Boolean));
	const found = await Promise.all([...tokens].slice(0, MOST_GUESTS).map(async token => {
		const {app, player} = await client(token).json("/v1/me").catch(() => ({}));
		return player && app.name === "guests" && player.id !== account()?.player.id ? {token, player} : null;
	}));
	return found.flatMap(one => one ?? []);
}

/** How many games an account gets with a guest of this device: all, or those that are not over if it is there already. */
export async function countGames({token}, isNew) {
	const {items} = await client(token).json(`/v1/games?limit=200${isNew ? "" : "&status=open,running"}`);
	return items.length;
}

/** Sign in with the code of a link. The account adopts the guest of the link if `adopt`, and these of this device. */
export async function signIn(id, code, {name, adopt, guests, isNew}) {
	const body = {code, device: deviceName(), name, adopt, guests: guests.map(({token}) => token)};
	const made = await client().once(`/v1/sign-ins/${id}/tokens`, body, {key: newKey()});
	const before = account();
	signedIn(made.token, made.player);
	keep(DEVICE, made.device_key);
	if (before?.player.id === made.player.id) await endToken(before.token).catch(() => null); // it may have ended already
	await releaseAll(client(made.token), made.player.id);
	await renewPush(client(made.token), made.player.id).catch(() => null);
	forget(ASKED);
	if (isNew) await setUp(made.token);
	await dropGuests(made, guests);
	return made;
}

/** Forget what guests of this device had and the account has now; the games that are over stay theirs. */
async function dropGuests(made, guests) {
	const {items} = await client(made.token).json("/v1/games?status=open,running&limit=200");
	const taken = new Set(items.map(({id}) => id));
	for (const {token, player} of guests) {
		const isAccount = player.id === made.player.id; // then its tokens have ended
		for (const game of myGames()) if (read(tokenOf(game)) === token && (isAccount || taken.has(game))) forget(tokenOf(game));
		if (known()?.token === token) forgetGuest();
	}
}

/** Give a new account the time zone and the language of this browser; it has the usual ones if that fails. */
async function setUp(token) {
	const body = {time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, language};
	await client(token).json("/v1/me/preferences", {method: "PATCH", body}).catch(() => null);
}

/** Make the address of a link the address of the account. */
export async function moveAccount(id, code) {
	const moved = await client(account().token).json(`/v1/sign-ins/${id}/address`, {method: "POST", body: {code}});
	forget(ASKED);
	return moved;
}

/** Whether what went wrong needs a recent sign-in. */
export const mustSignInAgain = error => error.body?.type === "/problems/sign-in-again";

/** Have a link mailed to the address of the account that is signed in here; return what to tell. */
export async function signInAgain(api, next = "/settings") {
	const {email: {address}} = await api.json("/v1/me/preferences");
	const until = await askForLink(address, {next});
	return t("For this you must have signed in within the last hour. A link is on its way to {address}. Open it in this browser before {time}, then do this again.",
		{address, time: moment(until)});
}

async function endToken(token) {
	const api = client(token);
	const {items} = await api.json("/v1/me/tokens?limit=200");
	const here = items.find(({current}) => current);
	if (here) await api.json(`/v1/me/tokens/${here.id}`, {method: "DELETE"});
}

/** Sign out on this device. */
export async function signOut() {
	await endToken(account().token);
	signedOut();
}
