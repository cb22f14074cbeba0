// @ts-check
// What the page of a game needs only after the first move is possible: the items of its menu, and the form for a token.

import {account} from "../game/account.js";
import {client, ELSEWHERE} from "../game/client.js";
import {known} from "../game/guests.js";
import {$, ask, bdi, h, style, text} from "../table/dom.js";
import {isOver, nameOf} from "../model/model.js";
import {choose, chosen, dropSecret, forget, forgetAll, isRemembered, keepToken, prefer, preference, read, rememberSeat, tokenOf} from "../game/storage.js";
import {pieces, t} from "../texts.js";

/** @import {Game} from "../types.d.ts" */
/** @typedef {{app: import("../table/app.js").TableApp, game: string, back: URL | null, open: (version?: number, note?: string) => Promise<void>,
 *   take: (token: string) => Promise<string>, from: string, drop: (...which: any[]) => Promise<unknown>, guide: () => Promise<void>}} Page */

// All that a table loads only when somebody wants it.
const LATER = [
	() => import("../game/orders.js"), () => import("../play/orders.js"), () => import("../play/share.js"), () => import("../play/guide.js"),
	() => import("../cards/look.js"), () => import("../play/ending.js"), () => import("../play/what-if.js"), () => import("../play/waiting.js"), () => import("./notices.js"),
	() => import("../game/keys.js"), () => import("../game/recorded.js"), () => import("../verify/checks.js"), () => import("../verify/shapes.js"),
];
let isPrepared = false;

/** Load what our pages share, and then, one after the other, what may be wanted, so that it is there without a connection too.
 * @param {Page} page */
async function prepare({app}) {
	if (isPrepared) return;
	isPrepared = true;
	await app.later(() => style("style", /** @type {Element} */ (document.querySelector("style"))));
	for (const load of LATER) await load().catch(() => {}); // who wants it hears of it
}

/** Give the table its menu, and offer a seat to who is invited. @param {Page} page */
export async function begin(page) {
	const {app} = page;
	prepare(page);
	app.extras = () => extras(page);
	app.panel.drawMenu();
	await releaseSeat(page);
	await offerSeat(page);
	if (app.seat !== undefined && app.newest.visibility === "private" && app.live.post) hearAskers(app);
}

const SOON = 15_000; // milliseconds until it is asked again who would like to watch
const LATE = 120_000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let hearing;

/** Tell a player who asks to watch the private game, now and as long as the page is looked at.
 * @param {import("../table/app.js").TableApp} app */
async function hearAskers(app, pause = SOON) {
	const {live, opened, newest: {id}} = app;
	clearTimeout(hearing);
	if (document.visibilityState === "visible") {
		const {items} = await live.request("/watch-requests").catch(() => ({items: []}));
		if (opened !== app.opened) return;
		app.panel.hear(items.map(({name}) => name).slice(Number(chosen(`asked:${id}`) || 0)), () => choose(`asked:${id}`, items.length));
	}
	hearing = setTimeout(() => hearAskers(app, Math.min(LATE, 1.3 * pause)), pause);
}

/** Let an account act on every device in a game that it began as a guest, or say where that is possible. @param {Page} page */
async function releaseSeat({app, game}) {
	const me = account();
	const own = app.seat !== undefined && app.newest.seats[app.seat];
	if (!me || !own || !own.public_key || own.player?.id !== me.player.id || isOver(app.newest)) return;
	const {release} = await app.later(() => import("../game/keys.js"));
	if (!await release(client(me.token), game, me.player.id).catch(() => false)) app.note(ELSEWHERE);
	else await app.catchUp();
}

/** What the page adds to the menu. @param {Page} page  @returns {import("../types.d.ts").Item[]} */
function extras(page) {
	const {app, game, back, drop, guide} = page;
	const token = tokenOf(game);
	const isSeated = app.seat !== undefined;
	const switchOver = (name, change) => {
		prefer(name, change());
		app.panel.drawMenu();
	};
	const push = async () => {
		const notices = await app.later(() => import("./notices.js"));
		return notices.push(app.live, app.seat).then(done => app.note(done, true), error => app.note(error));
	};
	return [
		["table", app.canAsk && !app.guide && !isOver(app.newest) && t("Guide me through the game"), guide],
		["look", t("Felt, backs and sounds"), async () => (await app.later(() => import("../cards/look.js"))).chooseLook(app)],
		["look", preference("no-sound") ? t("Turn the sounds on") : t("Turn the sounds off"), () => switchOver("no-sound", () => !preference("no-sound"))],
		["look", app.oneTap ? t("Ask before playing a card") : t("Play a card with one tap"), () => switchOver("one-tap", () => (app.oneTap = !app.oneTap))],
		["look", isSeated && (preference("no-forced") ? t("Make forced moves for me") : t("Let me make forced moves myself")), () => {
			switchOver("no-forced", () => !preference("no-forced"));
			app.draw();
		}],
		["look", preference("no-keys") ? t("Enable shortcuts") : t("Disable shortcuts"), () => switchOver("no-keys", () => !preference("no-keys"))],
		["device", isSeated && t("Push messages on this device"), push],
		["device", !read(token) && t("I have a seat here"), () => showSignIn(page, "")],
		["device", read(token) && (isRemembered(token) ? t("Do not remember me on this device") : t("Remember me on this device")), () => {
			rememberSeat(game, !isRemembered(token));
			app.panel.drawMenu();
		}],
		["device", read(token) && t("Forget my seat on this device"), () => leave(page, t("Forget your seat in this game?"), () => {
			forget(token);
			if (app.seat !== undefined) drop(game, app.seat);
			dropSecret(game, app.seat);
		})],
		["device", read(token) && t("Forget all my seats on this device"), () => leave(page, t("Forget your seats in all games?"), () => {
			forgetAll();
			drop();
		})],
		["leave", back && t("Back to {site}", {site: back.host}), () => location.assign(back ?? "/")],
		["leave", t("Start page"), () => location.assign("/")],
		["leave", t("My games"), () => location.assign("/games")],
	];
}

/** @param {Page} page  @param {string} question  @param {() => void} how */
async function leave({open}, question, how) {
	const warning = h("p", t("This browser can then no longer play there, unless you still have a link with your token."));
	if (!await ask($("table").parentElement, question, [warning], [["", t("Keep")], ["yes", t("Forget")]])) return;
	how();
	open();
}

/** Ask whether the token of a link may replace the own one. @param {Page} page  @param {Game} found */
export async function mayReplace({app}, {seats, viewer: {seats: [seat]}}) {
	const who = (shown, number) => (number === undefined ? [t("somebody who watches")] : pieces("{name}, seat {seat}", {name: bdi(nameOf(shown, number)), seat: String(number)}));
	return Boolean(await ask($("table").parentElement, t("Use another token?"), [
		h("p", ...pieces("The link has a token of {other}. Here you are {own}.", {other: who({seats}, seat), own: who(app.newest ?? {seats}, app.seat)})),
		h("p", t("If you use it, this tab forgets your own token. Did somebody else send you the link? Then stay.")),
	], [["", t("Stay")], ["yes", t("Use it")]]));
}

/** Offer a seat of a game that has not begun: that of a rematch to whom it invites, one of a public table to everybody.
 * @param {Page} page */
async function offerSeat({app, game}) {
	const {status, visibility, seats} = app.newest;
	const me = account() ?? (read(tokenOf(game)) ? {token: read(tokenOf(game))} : known());
	if (status !== "open" || app.seat !== undefined || app.live.api.origin) return;
	const api = client(me?.token);
	const {items} = me ? await api.json("/v1/me/invitations") : {items: []};
	const invitation = items.find(one => one.game.id === game);
	if (!invitation) {
		if (visibility !== "public" || !seats.some(({open}) => open)) return;
		const {guests} = await client().json(`/v1/games/${game}/invitation`, {method: "POST", body: {}}).catch(() => ({}));
		if (guests) app.offers = [[t("Take a seat"), () => location.assign(`/join#game=${game}`)]];
		app.draw();
		return;
	}
	const answer = (method, path, then) => () => api.json(path, {method, body: method === "PUT" ? {} : undefined}).then(then, error => app.note(error));
	app.offers = [
		[t("Accept"), answer("PUT", `/v1/games/${game}/seats/${invitation.seat}`, () => {
			if (!account()) keepToken(game, me.token, true);
			location.reload();
		})],
		[t("Decline"), answer("DELETE", `/v1/me/invitations/${game}`, () => location.assign("/games"))],
	];
	app.draw();
}

/** Show the form for a token. @param {Page} page  @param {string} because */
export function showSignIn(page, because) {
	$("sign-in").hidden = false;
	$("ask").hidden = !because;
	if (because) offerToAsk(page);
	page.app.later(() => style("style", /** @type {Element} */ (document.querySelector("style"))));
	document.getElementById("by-mail")?.setAttribute("href", `/sign-in#next=${location.pathname}`); // where the server sends mail
	if (!because) $("by-token").open = true;
	text($("why"), because);
	$("table").hidden = Boolean(because);
	$(because ? "asker" : "token").focus();
	$("sign-in").onsubmit = async event => {
		event.preventDefault();
		const refused = await page.take($("token").value.trim());
		$("token").value = "";
		if (refused) showSignIn(page, t("This token was not taken: {reason}", {reason: refused}));
		else page.open();
	};
}

/** Let somebody who may not see the game ask its players; the page says the same if there is no such game.
 * @param {Page} page */
function offerToAsk({game, from}) {
	const name = [...from.replace(/\s+/g, " ").trim()].slice(0, 100).join(""); // from the link, so it may be anything
	$("ask-them").replaceChildren(...(name ? pieces("Ask {name} for an invitation", {name: bdi(name)}) : [t("Ask the players for an invitation")]));
	$("asker").value = account()?.player.name ?? "";
	text($("has-asked"), "");
	$("asking").hidden = false;
	$("ask").onsubmit = async event => {
		event.preventDefault();
		try {
			await client().json(`/v1/games/${game}/watch-requests`, {method: "POST", body: {name: $("asker").value.trim()}});
			$("asking").hidden = true;
			text($("has-asked"), t("If there is such a game, its players are told that you have asked, and can send you a link."));
		} catch (error) {
			text($("has-asked"), error.message);
		}
	};
}
