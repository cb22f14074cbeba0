// @ts-check
// The standing orders of the viewer's seat: moves that the server plays when the turn comes. Nobody else sees them.

import {pause} from "./client.js";
import {choose, chosen} from "./storage.js";
import {laidOut, tableAhead} from "../model/ahead.js";
import {describe} from "../model/model.js";
import {capital, refusal, t} from "../texts.js";

/** @import {Choice, Game, Move, Order, Table, View} from "../types.d.ts" */
/** @import {TableApp} from "../table/app.js" */

export const CHANGED = t("The orders were changed elsewhere meanwhile, so nothing was done. These are the current ones.");
const PLAYED = t("What was laid out has been played meanwhile, so nothing was changed.");
const LOST = t("The connection was lost, so nothing was changed. Try again.");

const PAUSE = 2; // seconds
const QUIET = 1000; // milliseconds without an entry before another device's orders are looked for
const AGAIN = [500, 1500, 4000, 15_000]; // milliseconds: on the own turn the server is about to look at them, which makes no entry of its own

export class Orders {
	/** @param {TableApp} app */
	constructor(app) {
		this.app = app;
		this.live = app.live;
		this.seat = /** @type {number} */ (app.seat);
		/** @type {Order[]} */
		this.list = [];
		/** @type {{at: string, move: Move, verdict: import("../types.d.ts").Verdict} | null} why there are none any more */
		this.cancelled = null;
		this.version = app.newest.version; // of the game, when they were read
		/** @type {Promise<unknown>} */
		this.queue = Promise.resolve();
	}

	/** Read them again if something has happened that may have changed them, or may show those of another device. */
	follow() {
		const {app: {newest: {version, to_act: awaited}, timeline: {entries}}, list, seat} = this;
		if (version === this.version) return;
		let isChanged = awaited.includes(seat) && !this.wasAwaited;
		this.wasAwaited = awaited.includes(seat);
		let isHandOver = false; // then the server is about to look at them too
		for (let seq = this.version + 1; seq <= version; seq++) {
			const entry = entries.get(seq);
			isHandOver ||= Boolean(entry?.scores);
			isChanged ||= /taken_back|_undone/.test(entry?.type ?? "") || Boolean(entry?.order && entry.seat === seat);
		}
		this.version = version;
		this.readAgain(version, list.length || isChanged ? [0, ...AGAIN] : [QUIET], isHandOver);
	}

	/** Read them now, and later as long as the server may still look at them at this version.
	 * @param {number} version  @param {number[]} pauses */
	async readAgain(version, [wait, ...more], isHandOver = false) {
		const {app} = this;
		await new Promise(done => setTimeout(done, wait));
		if (app.orders !== this || version !== app.newest.version) return;
		await this.load().catch(() => {});
		if (more.length && this.list.length && (isHandOver || app.newest.to_act.includes(this.seat))) this.readAgain(version, more, isHandOver);
	}

	/** Read them again, after what is being changed. */
	load() {
		const done = this.queue.then(() => this.read());
		this.queue = done.catch(() => {});
		return done;
	}

	/** Read them; say if they were cancelled. */
	async read() {
		await this.take(await this.live.api.request(`${this.live.path}/orders?seat=${this.seat}`));
		if (this.app.orders === this) this.app.draw();
	}

	/** Say once on this device why they were cancelled, unless the player has moved since, maybe on another one. */
	tell() {
		const {app, cancelled, live, seat} = this;
		if (!cancelled) return;
		const told = `${live.id} ${cancelled.at}`;
		const hasMoved = app.timeline.known().some(({type, seat: mover, at = "", order, random}) => type === "moved" && mover === seat && !order && !random && at > cancelled.at);
		if (this.told === told || chosen("told") === told || hasMoved) return;
		this.told = told;
		choose("told", told);
		app.note(this.fate(cancelled), true); // it goes when others act
	}

	/** @param {{move: Move, verdict: import("../types.d.ts").Verdict}} cancelled */
	fate({move, verdict}) {
		if (verdict.legal) return t("{move} has been repeated so often that you are asked again. Nothing is laid out any more.", {move: this.words(move)});
		return t("{move} was not played: {reason}. Nothing is laid out any more.", {move: this.words(move), reason: refusal(verdict)});
	}

	/** @param {Response} response */
	async take(response) {
		this.tag = response.headers.get("ETag");
		const shown = response.status === 204 ? {orders: [], cancelled: null} : await response.json();
		this.list = shown.orders;
		this.cancelled = shown.cancelled;
		this.isHeld = Boolean(shown.held);
		this.tell();
	}

	/** Change them, one change after the other; the answer says why it was not done, or is "".
	 * @param {(list: Order[]) => Order[]} how  @returns {Promise<string>} */
	change(how) {
		const done = this.queue.then(async () => {
			const before = this.list;
			const refused = await this.send(how(before));
			const rest = before.slice(before.length - this.list.length);
			const isPlayed = this.list.length < before.length && JSON.stringify(rest) === JSON.stringify(this.list);
			return refused === CHANGED && isPlayed ? PLAYED : refused;
		});
		this.queue = done.then(() => {});
		return done;
	}

	/** @param {Order[]} list */
	async send(list) {
		const {app, live, seat} = this;
		const headers = {"If-Match": this.tag};
		try {
			if (list.length) {
				const body = await live.signed("/orders", {seat, orders: list}, words => app.note(words));
				await this.take(await live.api.request(`${live.path}/orders`, {method: "PUT", headers, body}));
			} else {
				await live.request(`/orders?seat=${seat}`, {method: "DELETE", headers});
				await this.take(await live.api.request(`${live.path}/orders?seat=${seat}`));
			}
			app.draw();
			return "";
		} catch (error) {
			if (!error.status) return this.recover(list);
			await this.read().catch(() => {});
			return error.status === 412 ? CHANGED : error.body?.verdict ? refusal(error.body.verdict) : error.message;
		}
	}

	/** After a request without an answer: read them until that succeeds, because it may have been carried out.
	 * @param {Order[]} wanted  @returns {Promise<string>} */
	async recover(wanted) {
		const {app} = this;
		app.note(t("Connection lost. Trying again …"));
		for (;;) {
			await pause(PAUSE);
			try {
				await this.read();
				break;
			} catch (error) {
				if (error.status || app.live !== this.live) return error.message;
			}
		}
		app.note("");
		return JSON.stringify(this.list) === JSON.stringify(wanted) ? "" : LOST;
	}

	/** What can be laid out for a later turn.
	 * @param {Game & {view: View}} game  @param {Choice} choice  @returns {Table | null} */
	table(game, choice) {
		return tableAhead(game, this.app.ruleset, this.seat, choice, this.list);
	}

	/** Which orders take which cards. @param {View["zones"]} zones */
	laid(zones) {
		return laidOut(this.list, this.app.ruleset, this.seat, zones);
	}

	/** Open the dialog that shows and changes them. */
	async edit() {
		try {
			await (await this.app.later(() => import("../play/orders.js"))).editOrders(this);
		} catch (error) {
			this.app.note(error);
		}
	}

	/** A move in words. @param {Move} move */
	words(move) {
		const {app, seat} = this;
		/** @type {any} */
		const table = {specs: app.ruleset.moves, seat, zones: app.newest.view?.zones ?? {}};
		return capital(describe(move, table, app.bar.wording()));
	}

	/** Lay a move out behind the others; return what to say of it. @param {Move} move */
	async lay(move) {
		const refused = await this.change(list => [...list, {move}]);
		if (!refused && this.cancelled) return ""; // it was the own turn already, and is told
		return refused || t("Laid out: {move}. It is played on your turn, if it is legal then.", {move: this.words(move)});
	}

	/** Take one back; return what to say of it. @param {number} n */
	async remove(n) {
		const order = this.list[n];
		const refused = await this.change(list => list.filter(one => one !== order));
		return refused || t("Taken back: {move}.", {move: this.words(order.move)});
	}
}
