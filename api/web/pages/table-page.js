// The page of one game, with this tab's token for it, if any.

import {TableApp} from "../table/app.js";
import {gameHere, why} from "../game/client.js";
import {$, text} from "../table/dom.js";
import {drop} from "../game/keys.js";
import {LiveGame} from "../game/live.js";
import {push} from "./notices.js";
import {dropSecret, forget, forgetAll, isRemembered, prefer, preference, read, remember, tokenOf, write} from "../game/storage.js";

const game = gameHere();
const app = new TableApp($("table"), {isPage: true});
app.onEnd = () => forgetKey(game);
app.oneTap = preference("one-tap");
app.extras = () => [
	...(app.seat === undefined ? [] : [["Push messages on this device", () => push(app.live, app.seat).then(done => app.note(done, true), error => app.note(error.message))]]),
	[app.oneTap ? "Ask before playing a card" : "Play a card with one tap", () => switchOver("one-tap", () => (app.oneTap = !app.oneTap))],
	[preference("no-keys") ? "Enable shortcuts" : "Disable shortcuts", () => switchOver("no-keys", () => !preference("no-keys"))],
	...(read(tokenOf(game)) ? [
		[isRemembered(tokenOf(game)) ? "Do not remember me on this device" : "Remember me on this device", () => {
			remember(tokenOf(game), !isRemembered(tokenOf(game)));
			app.panel.drawMenu();
		}],
		["Forget my token for this game", () => leave(() => forget(tokenOf(game)), game)],
		["Forget all tokens", () => leave(forgetAll)],
	] : [["I have a token", () => showSignIn("")]]),
];

function switchOver(name, change) {
	prefer(name, change());
	app.panel.drawMenu();
}

function forgetKey(key) {
	drop(key);
	dropSecret(key);
}

function leave(how, key) {
	how();
	forgetKey(key);
	open();
}

function fragment() {
	const given = new URLSearchParams(location.hash.slice(1));
	const token = given.get("token");
	if (token) write(tokenOf(game), token);
	if (location.hash) history.replaceState(null, "", location.pathname); // not to stay in the address bar
	return Number(given.get("version")) || 0;
}

async function open(version = 0, note = "") {
	$("sign-in").hidden = true;
	$("table").hidden = false;
	const token = read(tokenOf(game));
	try {
		await app.open(new LiveGame(game, token), version);
		if (note) app.note(note);
	} catch (error) {
		if (error.status === 401 && token) {
			forget(tokenOf(game));
			await open(version, "Your token is no longer valid: you are watching.");
		} else if (error.status === 404) {
			showSignIn(note ? "Your token is no longer valid." : why(error));
		} else app.note(error.message);
	}
}

function showSignIn(because) {
	$("sign-in").hidden = false;
	text($("why"), because);
	$("table").hidden = Boolean(because);
	$("token").focus();
}

$("sign-in").addEventListener("submit", event => {
	event.preventDefault();
	write(tokenOf(game), $("token").value.trim());
	$("token").value = "";
	open();
});
addEventListener("hashchange", () => open(fragment()));
open(fragment());

