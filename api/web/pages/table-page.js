// @ts-check
// The page of one game, with this tab's token for it, if any.

import {TableApp} from "../table/app.js";
import {account, signedOut, tokenFor} from "../game/account.js";
import {client, gameHere, why} from "../game/client.js";
import {$, ask, bdi, h, text} from "../table/dom.js";
import {LiveGame} from "../game/live.js";
import {isOver, nameOf} from "../model/model.js";
import {chosen, dropSecret, forget, forgetAll, isRemembered, keepToken, prefer, preference, read, rememberSeat, returnAddress, tokenOf} from "../game/storage.js";
import {first} from "./table-first.js";
import {pieces, t} from "../texts.js";

const game = gameHere();
/** @type {LiveGame | null} the game with the token that was tried last, loaded and not yet opened */
let tried = first;
let back = returnAddress(new URLSearchParams(location.hash.slice(1)));
const app = new TableApp($("table"), {isPage: true, listener: {onEnd() {
	drop(game);
	dropSecret(game, app.seat);
}}});
app.oneTap = preference("one-tap");
app.extras = () => /** @type {[string, () => unknown][]} */ ([
	...(back ? [[t("Back to {site}", {site: back.host}), () => location.assign(/** @type {URL} */ (back))]] : []),
	...(app.seat === undefined ? [] : [[t("Push messages on this device"), () => import("./notices.js").then(({push}) => push(app.live, app.seat)).then(done => app.note(done, true), error => app.note(error.message))]]),
	[app.oneTap ? t("Ask before playing a card") : t("Play a card with one tap"), () => switchOver("one-tap", () => (app.oneTap = !app.oneTap))],
	...(app.canAsk && !app.guide && !isOver(app.newest) ? [[t("Guide me through the game"), guide]] : []),
	[t("Look and sound"), async () => (await import("../cards/look.js")).chooseLook(app)],
	[preference("no-keys") ? t("Enable shortcuts") : t("Disable shortcuts"), () => switchOver("no-keys", () => !preference("no-keys"))],
	...(read(tokenOf(game)) ? [
		[isRemembered(tokenOf(game)) ? t("Do not remember me on this device") : t("Remember me on this device"), () => {
			rememberSeat(game, !isRemembered(tokenOf(game)));
			app.panel.drawMenu();
		}],
		[t("Forget my token for this game"), () => leave(t("Forget your seat in this game?"), () => {
			forget(tokenOf(game));
			if (app.seat !== undefined) drop(game, app.seat);
			dropSecret(game, app.seat);
		})],
		[t("Forget all tokens"), () => leave(t("Forget your seats in all games?"), () => {
			forgetAll();
			drop();
		})],
	] : [[t("I have a token"), () => showSignIn("")]]),
]);

/** Delete the own key of a seat of a game, all of a game, or all. */
const drop = async (...which) => (await import("../game/keys.js")).drop(...which);

/** Name good moves, and what is behind them, at the player's turns. */
const guide = async () => (await import("../play/guide.js")).begin(app);

/** The game with a token, which may be loading already. @param {string} token  @returns {LiveGame} */
function gameWith(token) {
	const found = tried && tried.api.token === token ? tried : new LiveGame(game, token);
	tried = null;
	return found;
}

function switchOver(name, change) {
	prefer(name, change());
	app.panel.drawMenu();
}

async function leave(question, how) {
	const warning = h("p", t("This browser can then no longer play there, unless you still have a link with your token."));
	if (!await ask($("table").parentElement, question, [warning], [["", t("Keep")], ["yes", t("Forget")]])) return;
	how();
	open();
}

/** Open what the address asks for, with the token in it if that may be kept. */
async function arrive() {
	const given = new URLSearchParams(location.hash.slice(1));
	back = returnAddress(given);
	const [token, version, comment] = [given.get("token"), Math.max(0, Math.trunc(Number(given.get("version")))) || 0, given.get("comment")];
	if (location.hash) history.replaceState(null, "", location.pathname); // not to stay in the address bar
	if (token && read(tokenOf(game)) && token !== read(tokenOf(game))) await open(version); // it may be no longer valid
	const refused = await take(token, mayReplace);
	await open(version, refused && t("The token in the link was not taken: {reason}", {reason: refused}));
	if (version && comment && app.newest) (await import("../play/share.js")).showComment(app, version, comment);
}

/** Try a token, and keep it unless there is one already that it may not replace; return why it was refused, or "". */
async function take(token, may = async (/** @type {import("../types.d.ts").Game} */ _found) => true) {
	const own = read(tokenOf(game));
	if (!token || token === own) return "";
	/** @type {import("../types.d.ts").Game | null} */
	let found = null;
	const live = gameWith(token);
	try {
		found = await (live.loading ??= live.load());
	} catch (error) {
		const reason = {401: t("it is no longer valid."), 403: t("it is not for this game."), 404: t("it is not for this game.")}[error.status];
		if (reason || own) return reason ?? error.message;
		// It could not be tried, and may be the only one: the table says what is wrong.
	}
	if (own && !(found && await may(found))) return "";
	keepToken(game, token, true);
	tried = live;
	return "";
}

/** @param {import("../types.d.ts").Game} found */
async function mayReplace({seats, viewer: {seats: [seat]}}) {
	const who = (shown, number) => (number === undefined ? [t("somebody who watches")] : pieces("{name}, seat {seat}", {name: bdi(nameOf(shown, number)), seat: String(number)}));
	return Boolean(await ask($("table").parentElement, t("Use another token?"), [
		h("p", ...pieces("The link has a token of {other}. Here you are {own}.", {other: who({seats}, seat), own: who(app.newest ?? {seats}, app.seat)})),
		h("p", t("If you use it, this tab forgets your own token. Did somebody else send you the link? Then stay.")),
	], [["", t("Stay")], ["yes", t("Use it")]]));
}

async function open(version = 0, note = "") {
	app.offers = [];
	$("sign-in").hidden = true;
	$("table").hidden = false;
	const token = tokenFor(game);
	try {
		if (!await app.open(gameWith(token), version)) return;
		if (note) app.note(token ? note : `${note} ${t("You are watching.")}`);
		if (chosen("guided") === game) await guide();
		await offerSeat();
	} catch (error) {
		if (error.status === 401 && token) {
			if (read(tokenOf(game))) forget(tokenOf(game));
			else signedOut();
			await open(version, t("Your token is no longer valid."));
		} else if (error.status === 404) {
			showSignIn(note || why(error));
		} else app.note(error.message);
	}
}

/** Offer the seat of a rematch to which the account is invited. */
async function offerSeat() {
	const me = account();
	if (!me || app.newest.status !== "open" || app.seat !== undefined) return;
	const api = client(me.token);
	const {items} = await api.json("/v1/me/invitations");
	const invitation = items.find(one => one.game.id === game);
	if (!invitation) return;
	const answer = (method, path, then) => () => api.json(path, {method, body: method === "PUT" ? {} : undefined}).then(then, error => app.note(error.message));
	app.offers = [
		[t("Accept"), answer("PUT", `/v1/games/${game}/seats/${invitation.seat}`, () => location.reload())],
		[t("Decline"), answer("DELETE", `/v1/me/invitations/${game}`, () => location.assign("/games"))],
	];
	app.draw();
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
	if (refused) showSignIn(t("This token was not taken: {reason}", {reason: refused}));
	else open();
});
addEventListener("hashchange", arrive);
arrive();
