// @ts-check
// Signing in by a link in a mail, and out.

import {account, keep, kept, signedIn, signedOut} from "../game/account.js";
import {client, newKey} from "../game/client.js";
import {releaseAll} from "../game/keys.js";
import {forget, myGames, read, tokenOf} from "../game/storage.js";
import {renewPush} from "../pages/notices.js";
import {language, moment, t} from "../texts.js";

const ASKED = "sign-in";
const GUEST = "guest";
const DEVICE = "device-key"; // stays after signing out: strangers who ask for links do not use up this device's

/** Have a link mailed. `then`: {next: the page to open, move: whether the address becomes the account's}. */
export async function askForLink(address, then = {}) {
	const body = {address, device_key: kept(DEVICE) ?? undefined};
	const {id, expires_at: until} = await client().json("/v1/sign-ins", {method: "POST", body});
	keep(ASKED, {...then, id});
	return until;
}

/** What this browser asked for, if it asked for the link with this id. */
export const askedHere = id => (kept(ASKED)?.id === id ? kept(ASKED) : null);

/** "Firefox on Android" */
export function deviceName(agent = navigator.userAgent) {
	const first = (names, otherwise) => names.find(([mark]) => agent.includes(mark))?.[1] ?? otherwise;
	const browser = first([["Edg/", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]], t("a browser"));
	const system = first([["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "Mac"], ["Linux", "Linux"]], "");
	return system ? t("{browser} on {system}", {browser, system}) : browser;
}

/** The guest of this server that plays on this device and may become an account: {token, player}, or null. */
export async function guestHere(next = "") {
	const [, game] = /^\/table\/([0-9a-f-]{36})/.exec(next) ?? [];
	const tokens = [game && read(tokenOf(game)), kept(GUEST)?.token];
	for (const token of tokens.filter(Boolean)) {
		const {app, player} = await client(token).json("/v1/me").catch(() => ({}));
		if (player && app.name === "guests") return {token, player};
	}
	return null;
}

/** Sign in with the code of a link; a guest becomes the account if that is new. */
export async function signIn(id, code, name, guest, isNew) {
	const body = {code, device: deviceName(), name};
	const key = newKey();
	const send = token => client(token).once(`/v1/sign-ins/${id}/tokens`, body, {key});
	// A lost answer is given again, but the guest's token may have ended with it.
	const made = await send(guest?.token).catch(error => (guest && error.status === 401 ? send() : Promise.reject(error)));
	const before = account();
	signedIn(made.token, made.player);
	keep(DEVICE, made.device_key);
	if (before?.player.id === made.player.id) await endToken(before.token).catch(() => null); // it may have ended already
	await releaseAll(client(made.token), made.player.id);
	await renewPush(client(made.token), made.player.id).catch(() => null);
	forget(ASKED);
	if (isNew) await setUp(made.token);
	if (guest?.player.id === made.player.id) { // its tokens have ended
		if (kept(GUEST)?.player.id === guest.player.id) forget(GUEST);
		for (const game of myGames()) if (read(tokenOf(game)) === guest.token) forget(tokenOf(game));
	}
	return made;
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
