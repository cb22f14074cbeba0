// @ts-check
// The page of one game, with this tab's token for it, if any. What is not needed before a move comes later, from `table-more.js`.

import {TableApp} from "../table/app.js";
import {client, gameHere, LiveGame, why} from "../game/client.js";
import {$} from "../table/dom.js";
import {ACCOUNT, choose, chosen, dropSecret, forget, isSeatedByAccount, keepToken, preference, read, returnAddress, tokenFor, tokenOf} from "../game/storage.js";
import {t} from "../texts.js";

const game = gameHere();
/** @type {LiveGame | null} the game with the token that was tried last, loaded and not yet opened */
let tried = null;
const app = new TableApp($("table"), {isPage: true, listener: {onEnd() {
	drop(game);
	dropSecret(game, app.seat);
}}});
app.oneTap = preference("one-tap");

const more = () => app.later(() => import("./table-more.js"));

/** Delete the own key of a seat of a game, all of a game, or all. */
const drop = async (...which) => (await app.later(() => import("../game/keys.js"))).drop(...which);

/** Name good moves, and what is behind them, at the player's turns. */
const guide = async () => (await app.later(() => import("../play/guide.js"))).begin(app);

/** What the rest of the page needs of it. @type {import("./table-more.js").Page} */
const page = {app, game, take, open, drop, guide, from: "", back: returnAddress(new URLSearchParams(location.hash.slice(1)))};

/** The game with a token, which may be loading already. @param {string} token  @returns {LiveGame} */
function gameWith(token) {
	const found = tried && tried.api.token === token ? tried : new LiveGame(game, token, () => import("../game/following.js"));
	tried = null;
	return found;
}

/** Open what the address asks for, with the token in it if that may be kept. */
async function arrive() {
	const given = new URLSearchParams(location.hash.slice(1));
	page.back = returnAddress(given);
	const [token, version, comment] = [given.get("token"), Math.max(0, Math.trunc(Number(given.get("version")))) || 0, given.get("comment")];
	const watch = read(tokenOf(game)) ? "" : given.get("watch") ?? ""; // a seat sees more
	const mail = given.get("mail");
	page.from = given.get("from") ?? "";
	if (location.hash) history.replaceState(null, "", location.pathname); // not to stay in the address bar
	if (token && read(tokenOf(game)) && token !== read(tokenOf(game))) await open(version); // it may be no longer valid
	// The token that an earlier link gave may have ended.
	if (mail && (chosen(`mailed:${game}`) || !await isSeatedHere())) return open(version, await takeMail(mail));
	const refused = token ? await take(token, async found => (await more()).mayReplace(page, found)) : await take(watch);
	await open(version, refused && t("The token in the link was not taken: {reason}", {reason: refused}));
	if (version && comment && app.newest) (await app.later(() => import("../play/share.js"))).showComment(app, version, comment);
}

/** Whether this device has a seat in the game, by a token for it or an account; what has ended is forgotten. */
async function isSeatedHere() {
	for (let token = tokenFor(game); token; token = tokenFor(game)) {
		try {
			const {viewer} = await client(token).json(`/v1/games/${game}`);
			return viewer.seats.length > 0;
		} catch (error) {
			if (error.status !== 401) return ![403, 404].includes(error.status);
			forget(read(tokenOf(game)) ? tokenOf(game) : ACCOUNT);
		}
	}
	return false;
}

/** Take the seat to which the link of a mail leads; return why it leads to none, or "". */
async function takeMail(link) {
	try {
		const {token} = await client().once(`/v1/games/${game}/mail-tokens`, {link});
		choose(`mailed:${game}`, "yes");
		return await take(token);
	} catch (error) {
		return error.status === 404 ? t("The link in the mail no longer works.") : error.message;
	}
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
		if (found && !found.viewer.seats.length && isSeatedByAccount(found)) return "";
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

/** @param {number} [version]  @param {string} [note] */
async function open(version = 0, note = "") {
	app.offers = [];
	$("sign-in").hidden = $("ask").hidden = true;
	$("table").hidden = false;
	const token = tokenFor(game);
	try {
		if (!await app.open(gameWith(token), version)) return;
		if (note) app.note(token ? note : `${note} ${t("You are watching.")}`);
		if (chosen("guided") === game) await guide();
		await app.complete();
		await (await more()).begin(page);
	} catch (error) {
		if (error.status === 401 && token) {
			if (read(tokenOf(game))) forget(tokenOf(game));
			else forget(ACCOUNT);
			await open(version, t("Your token is no longer valid."));
		} else if (error.status === 404) {
			(await more()).showSignIn(page, note || why(error));
		} else app.note(error);
	}
}

addEventListener("hashchange", arrive);
arrive();
