// @ts-check
// The end of a game: who won and why, the points by hand, the moments that mattered, and what to do next.

import {account} from "../game/account.js";
import {guest, known} from "../game/guests.js";
import {client} from "../game/client.js";
import {keep, newKey} from "../game/keys.js";
import {choose, chosen, keepToken, read, tokenOf} from "../game/storage.js";
import {chips, isOver, LISTED, nameOf} from "../model/model.js";
import {asThen} from "../model/sentences.js";
import {columnName, bestOf, columnsOf, handAt, scoringsOf, momentsOf, outcomeOf, ownFirst, signed, standing} from "../model/results.js";
import {bdi, h} from "../table/dom.js";
import {drawAgain} from "../table/bar.js";
import {nodes} from "../table/draw.js";
import {canTalk, Chat, JOIN, offerOf} from "./chat.js";
import {copyLink} from "./share.js";
import {t} from "../texts.js";

/** @import {Entry, Game, Ruleset, Scoring} from "../types.d.ts" */
/** @import {TableApp} from "../table/app.js" */

const HEADINGS = {won: t("You have won"), lost: t("You have lost"), "": t("The game is over")};

/** The panel's page about the result. */
export class Ending {
	/** @param {TableApp} app  @param {HTMLElement} root */
	constructor(app, root) {
		this.app = app;
		this.root = root;
		/** @type {number | null} */
		this.shown = null;
		this.chat = canTalk(app) ? new Chat(app) : null;
		if (this.chat) root.after(this.chat.root);
	}

	/** Another game is shown, or none. */
	end() {
		this.chat?.end();
	}

	/** Draw the result once the game is over, and again when the whole log is known. */
	async draw() {
		const {app} = this;
		const {newest, live, opened} = app;
		if (!isOver(newest) || this.shown === newest.version) return;
		this.shown = newest.version;
		this.fill(app.timeline.known());
		try {
			const log = await wholeLog(app);
			if (opened === app.opened && live === app.live) this.fill(log);
		} catch {
			this.shown = null; // the table of hands comes with the next drawing
		}
	}

	/** @param {Entry[]} log */
	fill(log) {
		const {app} = this;
		const {newest, seat, catalogue, ruleset} = app;
		const isWhole = log.length >= newest.version;
		const state = standing(newest, seat);
		const best = isWhole && state === "lost" && seat !== undefined ? bestOf(log, seat) : null;
		const moments = isWhole ? momentsOf(log, best) : [];
		const entries = new Map(log.map(entry => [entry.seq, entry]));
		const hasHands = scoringsOf(log).some(({isHand}) => isHand);
		const handOf = seq => (hasHands ? `${t("Hand {number}", {number: handAt(log, seq)})}: ` : "");
		const places = chips(newest, ruleset).filter(({name, rank}) => rank === LISTED && ruleset.facts[name]?.["x-role"] === "seat");
		const then = seq => asThen(/** @type {Entry} */ (entries.get(seq)), newest, entries);
		const children = [
			h("h2", {class: state}, [HEADINGS[state], ...(isWhole && seat !== undefined && state && newest.view?.scores ? [scoreLine(newest, ruleset, scoringsOf(log), seat)] : [])].filter(Boolean).join(", ")),
			h("p.outcome", ...nodes(outcomeOf(newest, ruleset), catalogue)),
			...places.map(({label, parts}) => h("p", ...nodes([label, ...parts], catalogue))),
			h("p.next", ...this.buttons(this.onwards())),
			isWhole && newest.view ? pointsTable(newest, ruleset, scoringsOf(log), log) : null,
			moments.length ? h("h3", t("Key moments")) : null,
			moments.length ? h("ul.moments", ...moments.map(one => h("li", this.moment(one, handOf(one.seq), then(one.seq), one.seq === best?.seq && one.seat === seat)))) : null,
			h("p.next", ...this.buttons(this.actions())),
		];
		this.root.replaceChildren(...children.flatMap(child => child ?? []));
		this.drawAgain();
	}

	/** Draw the button for another game again. */
	drawAgain() {
		const button = this.root.querySelector("button.again");
		if (button instanceof HTMLElement) drawAgain(button, this.app.again);
	}

	moment({seq, seat, gain}, hand, then, isBest) {
		return h("button.moment", {"data-seq": seq, onclick: () => this.app.goTo(seq - 1)}, hand, bdi(nameOf(then, seat)), ` ${signed(gain)}`, isBest ? ` (${t("your best")})` : "");
	}

	buttons(actions) {
		return actions.map(([label, run, kind]) => h("button", {class: kind, onclick: run}, label));
	}

	/** What one may play next. */
	onwards() {
		const {app} = this;
		if (!app.isPage || app.readonly || !app.live.post) return [];
		const again = app.seat !== undefined && app.newest.status === "finished" ? [["", () => playAgain(app), "send again"]] : [];
		return [...again, [t("New game"), () => location.assign("/")]];
	}

	/** What one may do with this game. */
	actions() {
		const {app} = this;
		const {newest, live} = app;
		return [
			[t("Replay"), () => {
				app.panel.closeSheet();
				app.replay.play(true);
			}],
			...(live.leave ? [[t("Back to the game"), live.leave, "send"]] : []),
			...(app.isPage && newest.id ? [[t("Copy link"), () => copyLink(app)]] : []),
		];
	}
}

/** All entries of a game that is over. */
async function wholeLog({newest, live, timeline: {recorded}}) {
	if (recorded ?? live.log) return recorded?.log ?? live.log;
	const log = [];
	while (log.length < newest.version) {
		const more = await live.entries(log.length);
		if (!more.length) break;
		log.push(...more);
	}
	return log;
}

/** "26 : 23", the own points first; "" for more than two sides, and where nobody has points.
 * @param {Game} game  @param {Ruleset} ruleset  @param {Scoring[]} scorings  @param {number} mine */
function scoreLine(game, ruleset, scorings, mine) {
	const sides = ownFirst(columnsOf(game, ruleset, scorings), mine);
	const points = sides.map(([seat]) => game.view?.scores[seat]);
	return points.length === 2 && points.some(Boolean) ? points.join(" : ") : "";
}

/** @param {Game} game  @param {Ruleset} ruleset  @param {Scoring[]} scorings  @param {Entry[]} log */
function pointsTable(game, ruleset, scorings, log) {
	if (!scorings.length) return null;
	const columns = columnsOf(game, ruleset, scorings);
	/** @param {number[]} seats */
	const state = ([seat]) => standing(game, seat);
	const names = columns.map(seats => h("th", {scope: "col", class: state(seats), title: columnName(game, seats).join(", ")},
		...columnName(game, seats).flatMap((name, i) => [i ? ", " : "", bdi(name)])));
	const areHands = scorings.slice(0, -1).every(({isHand}) => isHand);
	const gains = scorings.map(({scores}, i) => columns.map(([seat]) => scores[seat] - (scorings[i - 1]?.scores[seat] ?? 0)));
	const most = Math.max(1, ...gains.flat().map(Math.abs));
	const rows = gains.map((each, i) => h("tr", h("th", {scope: "row"}, areHands ? t("Hand {number}", {number: handAt(log, scorings[i].seq)}) : String(i + 1)),
		...each.map(gain => h("td", {style: {"--share": String(Math.abs(gain) / most)}}, signed(gain)))));
	const final = game.view?.scores ?? scorings[scorings.length - 1].scores;
	return h("div.points", {tabindex: "0", role: "region", "aria-label": t("Points")}, h("table", {style: {"--n": String(columns.length)}},
		h("thead", h("tr", h("td"), ...names)),
		h("tbody", ...(rows.length > 1 ? rows : [])),
		h("tfoot", h("tr", h("th", {scope: "row"}, t("Total")), ...columns.map(seats => h("td", {class: state(seats)}, String(final[seats[0]])))))));
}

/** Play once more: take the seat that somebody has kept, or start a game and keep seats for the others.
 * @param {TableApp} app */
export async function playAgain(app) {
	const {live, newest, seat, again} = app;
	const made = chosen(`again-after:${newest.id}`); // from here, earlier
	if (made) return location.assign(`/table/${made}`);
	// Who came by the link of a mail may have an account that this device does not know; a guest would be somebody else.
	if (chosen(`mailed:${newest.id}`) && !isOfAccount(app)) return location.assign(`/sign-in#next=${location.pathname}`);
	try {
		if (again) await accept(app, again);
		else if (isOfAccount(app)) await rematch(app);
		else {
			const me = known()?.token === live.api.token ? known() : await guest(nameOf(newest, seat)); // the token of an invite is good for its game only
			await begin(app, me.token, me.player.id);
		}
	} catch (error) {
		const isGone = again && [403, 404, 409].includes(error.status);
		if (isGone) app.offer(null);
		app.note(isGone ? t("The game has begun without you.")
			: error.status === 403 ? t("This server accepts no guests: only apps create games here.") : error);
	}
	return undefined;
}

/** Whether the account on this device has the seat, also if the token is that of a mail's link.
 * @param {TableApp} app */
const isOfAccount = ({newest, seat}) => seat !== undefined && newest.seats[seat]?.player?.id === account()?.player.id && Boolean(account());

/** Sit down where another player wants to play again, under the same name.
 * @param {TableApp} app  @param {import("../types.d.ts").Offer} offer */
async function accept(app, {game, seat, invite}) {
	const {newest, seat: mine, live} = app;
	const name = nameOf(newest, mine);
	const at = `/v1/games/${game}/seats/${seat}`;
	const isAccount = isOfAccount(app);
	if (!read(tokenOf(game))) {
		const {own, public_key} = isAccount ? {} : await newKey(); // an account plays on every device
		if (isAccount || !invite || known()?.token === live.api.token) {
			const {token} = isAccount ? account() : await guest(name);
			await client(token).json(at, {method: "PUT", body: {invite, public_key}});
			if (!isAccount) keepToken(game, token, true);
		} else keepToken(game, (await client().json(`${at}/guest`, {method: "POST", body: {invite, name, public_key}})).token, true);
		if (own) await keep(game, seat, own);
	}
	location.assign(`/table/${game}`);
}

/** Go to the rematch; create it if nobody has.
 * @param {TableApp} app */
async function rematch(app) {
	const api = client(account().token);
	const before = app.newest.id;
	try {
		const {id, seats} = await api.once(`/v1/games/${before}/rematch`, {});
		await askOthers(app, id, seats);
		location.assign(`/table/${id}`);
	} catch (error) {
		if (error.status !== 409) throw error;
		const made = error.body.conflicts_with;
		if (!made) return begin(app, api.token, account().player.id); // with commitments to the deal, for example, there is none
		const {items} = await api.json("/v1/me/invitations");
		const {seat} = items.find(({game}) => game.id === made) ?? {};
		if (seat !== undefined) await api.json(`/v1/games/${made}/seats/${seat}`, {method: "PUT", body: {}});
		location.assign(`/table/${made}`);
	}
	return undefined;
}

/** Start another game of the same kind, against the same bots.
 * @param {TableApp} app  @param {string} token  @param {string} [player] */
async function begin(app, token, player) {
	const {newest, seat: mine, live} = app;
	const {own, public_key} = account() ? {} : await newKey(); // an account plays on every device
	const seats = newest.seats.map(({bot}, seat) => (seat === mine ? {player, public_key} : bot ? {bot} : {open: true}));
	const {ruleset, options, visibility, pace} = newest;
	const {id, seats: made} = await client(token, live.api.origin).once("/v1/games", {ruleset, options, visibility, pace, seats});
	if (!account()) keepToken(id, token, true);
	if (own) await keep(id, mine, own);
	await askOthers(app, id, made);
	const before = await askedBefore(app, id).catch(() => null);
	const isTogether = before && await accept(app, before).then(() => true, () => false); // an old offer may be gone
	if (!isTogether) return location.assign(`/table/${id}`);
	choose(`again-after:${newest.id}`, before.game);
	return client(token, live.api.origin).json(`/v1/games/${id}/seats/${mine}`, {method: "DELETE", keepalive: true}).catch(() => {}); // nobody shall come there
}

/** Return the offer of who has asked first, if that was somebody else at the same time: talk has one order for all.
 * @param {TableApp} app  @param {string} id  the game to which this player asks */
async function askedBefore({live, seat: mine}, id) {
	for (let tries = 0; tries < 10; tries++) { // each of an offer's links comes for itself
		const offers = (await live.request("/messages")).items.filter(({text}) => text.startsWith(JOIN)).map(offerOf);
		if (!offers.length || offers[0].game === id) return null;
		const offer = offers.find(({game, seat}) => game === offers[0].game && seat === mine);
		if (offer) return offer;
		await new Promise(done => setTimeout(done, 300));
	}
	return null;
}

/** Offer the others their seats in a new game, in the talk after this one. Spectators of a public game would read the codes;
 * there, none is needed.
 * @param {TableApp} app  @param {string} id  @param {{open?: boolean, invite?: string}[]} seats */
async function askOthers({live, newest, seat: mine}, id, seats) {
	const links = seats.flatMap(({open, invite}, seat) => (open ? [`${JOIN}${id}&seat=${seat}${newest.visibility === "private" && invite ? `&invite=${invite}` : ""}`] : []));
	if (!links.length) return;
	choose(`again-after:${newest.id}`, id);
	choose(`again:${id}`, "yes");
	for (const text of links) await live.api.once(`${live.path}/messages`, {text, seat: mine}).catch(() => {}); // the link to the game can still be copied
}
