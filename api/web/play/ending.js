// @ts-check
// The end of a game: who won and why, the points by hand, the moments that mattered, and what to do next.

import {account} from "../game/account.js";
import {guest} from "../game/guests.js";
import {client} from "../game/client.js";
import {keep, newKey} from "../game/keys.js";
import {keepToken} from "../game/storage.js";
import {isOver, nameOf} from "../model/model.js";
import {columnName, columnsOf, scoringsOf, momentsOf, outcomeOf, signed, standing} from "../model/results.js";
import {bdi, h} from "../table/dom.js";
import {nodes} from "../table/draw.js";
import {canTalk, Chat, JOIN} from "./chat.js";
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
		const moments = isWhole ? momentsOf(log) : [];
		const children = [
			h("h2", {class: state}, HEADINGS[state]),
			h("p.outcome", ...nodes(outcomeOf(newest, ruleset), catalogue)),
			isWhole && newest.view ? pointsTable(newest, ruleset, scoringsOf(log)) : null,
			moments.length ? h("h3", t("Key moments")) : null,
			moments.length ? h("ul.moments", ...moments.map(one => h("li", this.moment(one)))) : null,
			h("p.next", ...this.actions().map(([label, run, kind]) => h("button", {class: kind, onclick: run}, label))),
		];
		this.root.replaceChildren(...children.flatMap(child => child ?? []));
	}

	moment({seq, seat, gain}) {
		return h("button.moment", {"data-seq": seq, onclick: () => this.app.goTo(seq)}, bdi(nameOf(this.app.newest, seat)), ` ${signed(gain)}`);
	}

	actions() {
		const {app} = this;
		const {newest, live} = app;
		const canPlay = app.isPage && !app.readonly && live.post;
		return [
			...(canPlay && app.seat !== undefined && newest.status === "finished" ? [[t("Play again"), () => playAgain(app), "send"]] : []),
			...(canPlay ? [[t("New game"), () => location.assign("/")]] : []),
			[t("Replay"), () => {
				app.panel.closeSheet();
				app.goTo(1).then(() => app.replay.play());
			}],
			live.leave ? [t("Back to the game"), live.leave, "send"] : [t("Verify"), () => app.panel.showTrust()],
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

/** @param {Game} game  @param {Ruleset} ruleset  @param {Scoring[]} scorings */
function pointsTable(game, ruleset, scorings) {
	if (!scorings.length) return null;
	const columns = columnsOf(game, ruleset, scorings);
	/** @param {number[]} seats */
	const state = ([seat]) => standing(game, seat);
	const names = columns.map(seats => h("th", {scope: "col", class: state(seats)},
		...columnName(game, seats).flatMap((name, i) => [i ? ", " : "", bdi(name)])));
	const areHands = scorings.slice(0, -1).every(({isHand}) => isHand);
	const rows = scorings.map(({scores}, i) => h("tr", h("th", {scope: "row"}, areHands ? t("Hand {number}", {number: i + 1}) : String(i + 1)),
		...columns.map(([seat]) => h("td", signed(scores[seat] - (scorings[i - 1]?.scores[seat] ?? 0))))));
	const final = game.view?.scores ?? scorings[scorings.length - 1].scores;
	return h("div.points", {tabindex: "0", role: "region", "aria-label": t("Points")}, h("table",
		h("thead", h("tr", h("td"), ...names)),
		h("tbody", ...(rows.length > 1 ? rows : [])),
		h("tfoot", h("tr", h("th", {scope: "row"}, t("Total")), ...columns.map(seats => h("td", {class: state(seats)}, String(final[seats[0]])))))));
}

/** Play once more: an account with a rematch, to which the others are invited; a guest with a new game.
 * @param {TableApp} app */
export async function playAgain(app) {
	try {
		if (account() && account().token === app.live.api.token) await rematch(app);
		else if (!await follow(app)) await begin(app, app.live.api.token, app.newest.seats[app.seat ?? 0].player?.id);
	} catch (error) {
		if (error.status !== 403) return app.note(error.message);
		try { // the token of an invite is good for its game only
			const me = await guest(nameOf(app.newest, app.seat));
			await begin(app, me.token, me.player.id);
		} catch (refused) {
			app.note(refused.status === 403 ? t("This server accepts no guests: only apps create games here.") : refused.message);
		}
	}
	return undefined;
}

/** Go to the rematch; create it if nobody has.
 * @param {TableApp} app */
async function rematch(app) {
	const {api} = app.live;
	const before = app.newest.id;
	try {
		const {id} = await api.once(`/v1/games/${before}/rematch`, {});
		location.assign(`/table/${id}`);
	} catch (error) {
		if (error.status !== 409) throw error;
		const made = error.body.conflicts_with;
		if (made) location.assign(`/table/${made}`);
		else await begin(app, api.token, account().player.id); // with commitments to the deal, for example, there is none
	}
}

/** Go to the seat that another guest has kept in a game of its own, see `begin`; return whether there is one.
 * @param {TableApp} app */
async function follow({live, seat}) {
	const {messages} = await live.request("/chat").catch(() => ({messages: []}));
	const links = messages.map(({text}) => text).filter(text => text.startsWith(JOIN));
	const link = links.find(one => new URLSearchParams(one.slice(one.indexOf("#") + 1)).get("seat") === String(seat));
	if (link) location.assign(link);
	return Boolean(link);
}

/** Start another game of the same kind, against the same bots; other people are invited by link, and find it in the talk after a private game.
 * @param {TableApp} app  @param {string} token  @param {string} [player] */
async function begin({newest, seat: mine, live}, token, player) {
	const {own, public_key} = account() ? {} : await newKey(); // an account plays on every device
	const seats = newest.seats.map(({bot}, seat) => (seat === mine ? {player, public_key} : bot ? {bot} : {open: true}));
	const {ruleset, options, visibility, pace} = newest;
	const {id, seats: made} = await client(token, live.api.origin).once("/v1/games", {ruleset, options, visibility, pace, seats});
	if (!account()) keepToken(id, token, true);
	if (own) await keep(id, mine, own);
	if (visibility === "private") { // spectators would read the invites
		const links = made.flatMap(({invite}, seat) => (invite ? [`${JOIN}${id}&seat=${seat}&invite=${invite}`] : []));
		await Promise.all(links.map(link => live.api.once(`${live.path}/chat`, {text: link, seat: mine}))).catch(() => {}); // they can still be copied
	}
	location.assign(`/table/${id}`);
}
