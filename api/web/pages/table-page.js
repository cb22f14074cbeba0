// @ts-check
// The page of one game, with this tab's token for it, if any.

import {TableApp} from "../table/app.js";
import {signedOut, tokenFor} from "../game/account.js";
import {client, gameHere, why} from "../game/client.js";
import {$, ask, bdi, h, text} from "../table/dom.js";
import {drop} from "../game/keys.js";
import {LiveGame} from "../game/live.js";
import {chooseLook} from "../cards/look.js";
import {nameOf} from "../model/model.js";
import {push} from "./notices.js";
import {dropSecret, forget, forgetAll, isRemembered, keepToken, prefer, preference, read, rememberSeat, tokenOf} from "../game/storage.js";

const game = gameHere();
const app = new TableApp($("table"), {isPage: true, listener: {onEnd() {
	drop(game);
	dropSecret(game, app.seat);
}}});
app.oneTap = preference("one-tap");
app.extras = () => /** @type {[string, () => unknown][]} */ ([
	...(app.seat === undefined ? [] : [["Push messages on this device", () => push(app.live, app.seat).then(done => app.note(done, true), error => app.note(error.message))]]),
	[app.oneTap ? "Ask before playing a card" : "Play a card with one tap", () => switchOver("one-tap", () => (app.oneTap = !app.oneTap))],
	["Look and sound", () => chooseLook(app)],
	[preference("no-keys") ? "Enable shortcuts" : "Disable shortcuts", () => switchOver("no-keys", () => !preference("no-keys"))],
	...(read(tokenOf(game)) ? [
		[isRemembered(tokenOf(game)) ? "Do not remember me on this device" : "Remember me on this device", () => {
			rememberSeat(game, !isRemembered(tokenOf(game)));
			app.panel.drawMenu();
		}],
		["Forget my token for this game", () => leave("Forget your seat in this game?", () => {
			forget(tokenOf(game));
			if (app.seat !== undefined) drop(game, app.seat);
			dropSecret(game, app.seat);
		})],
		["Forget all tokens", () => leave("Forget your seats in all games?", () => {
			forgetAll();
			drop();
		})],
	] : [["I have a token", () => showSignIn("")]]),
]);

function switchOver(name, change) {
	prefer(name, change());
	app.panel.drawMenu();
}

async function leave(question, how) {
	const warning = h("p", "This browser can then no longer play there, unless you still have a link with your token.");
	if (!await ask($("table").parentElement, question, [warning], [["", "Keep"], ["yes", "Forget"]])) return;
	how();
	open();
}

/** Open what the address asks for, with the token in it if that may be kept. */
async function arrive() {
	const given = new URLSearchParams(location.hash.slice(1));
	const [token, version] = [given.get("token"), Number(given.get("version")) || 0];
	if (location.hash) history.replaceState(null, "", location.pathname); // not to stay in the address bar
	if (token && read(tokenOf(game)) && token !== read(tokenOf(game))) await open(version); // it may be no longer valid
	const refused = await take(token, mayReplace);
	await open(version, refused && `The token in the link was not taken: ${refused}`);
}

/** Try a token, and keep it unless there is one already that it may not replace; return why it was refused, or "". */
async function take(token, may = async (/** @type {import("../types.d.ts").Game} */ _found) => true) {
	const own = read(tokenOf(game));
	if (!token || token === own) return "";
	/** @type {import("../types.d.ts").Game | null} */
	let found = null;
	try {
		found = await client(token).json(`/v1/games/${game}`);
	} catch (error) {
		const reason = {401: "it is no longer valid.", 403: "it is not for this game.", 404: "it is not for this game."}[error.status];
		if (reason || own) return reason ?? error.message;
		// It could not be tried, and may be the only one: the table says what is wrong.
	}
	if (own && !(found && await may(found))) return "";
	keepToken(game, token, true);
	return "";
}

/** @param {import("../types.d.ts").Game} found */
async function mayReplace({seats, viewer: {seats: [seat]}}) {
	const who = (shown, number) => (number === undefined ? ["somebody who watches"] : [bdi(nameOf(shown, number)), `, seat ${number}`]);
	return Boolean(await ask($("table").parentElement, "Use another token?", [
		h("p", "The link has a token of ", ...who({seats}, seat), ". Here you are ", ...who(app.newest ?? {seats}, app.seat), "."),
		h("p", "If you use it, this tab forgets your own token. Did somebody else send you the link? Then stay."),
	], [["", "Stay"], ["yes", "Use it"]]));
}

async function open(version = 0, note = "") {
	$("sign-in").hidden = true;
	$("table").hidden = false;
	const token = tokenFor(game);
	try {
		if (await app.open(new LiveGame(game, token), version) && note) app.note(token ? note : `${note} You are watching.`);
	} catch (error) {
		if (error.status === 401 && token) {
			if (read(tokenOf(game))) forget(tokenOf(game));
			else signedOut();
			await open(version, "Your token is no longer valid.");
		} else if (error.status === 404) {
			showSignIn(note || why(error));
		} else app.note(error.message);
	}
}

function showSignIn(because) {
	$("sign-in").hidden = false;
	$("by-mail").href = `/sign-in#next=${location.pathname}`;
	text($("why"), because);
	$("table").hidden = Boolean(because);
	$("token").focus();
}

$("sign-in").addEventListener("submit", async event => {
	event.preventDefault();
	const refused = await take($("token").value.trim());
	$("token").value = "";
	if (refused) showSignIn(`This token was not taken: ${refused}`);
	else open();
});
addEventListener("hashchange", arrive);
arrive();
