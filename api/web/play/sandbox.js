// @ts-check
// "What if?": a game that only this page plays, from a position on, against bots. The stateless referee judges; nothing is
// stored, so it can never be mistaken for a real game.

import {client, pause, Problem} from "../game/client.js";

/** @import {Entry, Game, Move, Ruleset, View} from "../types.d.ts" */

const THINKING = 0.5; // seconds before a bot moves

export class Sandbox {
	/** @param {Game} game  @param {Ruleset} ruleset  @param {any} position  @param {number} seat */
	constructor(game, ruleset, position, seat, origin = "") {
		this.api = client("", origin);
		this.ruleset = ruleset;
		this.seat = seat;
		const seats = game.seats.map(one => ({...one, bot: one.seat === seat ? null : "cautious", deadline: null, public_key: null}));
		this.base = {...game, id: "", seats, viewer: {seats: [seat]}, pace: null, paused: false, visibility: "private"};
		this.positions = [position];
		/** @type {any[]} */
		this.log = [{seq: 1, type: "started"}];
		this.newest = this.game(1);
	}

	async begin() {
		return this.newest;
	}

	/** @param {number} version  @returns {any} */
	game(version) {
		const position = this.positions[version - 1];
		const {result} = position;
		return {...this.base, version, view: seenBy(position, this.seat, this.ruleset), result, to_act: result ? [] : position.to_act, status: result ? "finished" : "running"};
	}

	/** @param {number} version  @returns {Promise<Game>} */
	async at(version) {
		return this.game(version);
	}

	async refresh() {
		return this.newest;
	}

	/** @param {number} after  @param {number} [limit]  @returns {Promise<Entry[]>} */
	async entries(after, limit = 200) {
		return this.log.slice(after, after + limit);
	}

	get position() {
		return this.positions[this.positions.length - 1];
	}

	/** @param {string} what  @param {object} body */
	ask(what, body) {
		return this.api.json(`/v1/referee/${what}`, {method: "POST", body: {position: this.position, ...body}});
	}

	/** @param {number} seat */
	async legal(seat) {
		const {version} = this.newest;
		return {version, seat, ...await this.ask("legal-moves", {seat})};
	}

	/** @param {number} seat */
	async suggest(seat) {
		const {version} = this.newest;
		return {version, seat, ...await this.ask("suggestions", {seat})};
	}

	/** @param {number} seat  @param {Move} move */
	async judge(seat, move) {
		return (await this.ask("verdicts", {seat, move, seed: "00"})).verdict;
	}

	/** @param {number} seat  @param {Move} move */
	async move(seat, move) {
		const entry = await this.append(seat, move);
		this.play();
		return {entry, game: this.newest};
	}

	/** @param {number} seat  @param {Move} move  @returns {Promise<Entry>} */
	async append(seat, move) {
		const before = this.position;
		const seed = [...crypto.getRandomValues(new Uint8Array(16))].map(n => n.toString(16).padStart(2, "0")).join("");
		const {verdict, position, transfers} = await this.ask("verdicts", {seat, move, seed});
		if (!verdict.legal) throw new Problem(422, {detail: verdict.reason, verdict});
		this.positions.push(position);
		const scores = String(position.scores) !== String(before.scores) && {scores: position.scores};
		/** @type {any} */
		const entry = {seq: this.log.length + 1, type: "moved", seat, move, transfers, ...scores};
		this.log.push(entry);
		this.newest = this.game(entry.seq);
		return entry;
	}

	/** Let the bots move until it is the player's turn. */
	async play() {
		if (this.isPlaying) return;
		this.isPlaying = true;
		try {
			for (let seat; (seat = this.newest.to_act.find(one => one !== this.seat)) !== undefined;) {
				const [{move}] = await Promise.all([this.suggest(seat), pause(THINKING)]);
				if (!this.take || !move) break;
				try {
					this.take(await this.append(seat, move));
				} catch (error) {
					if (error.status !== 422) throw error; // it was for a position that the player has changed meanwhile
				}
			}
		} catch (error) {
			this.note?.(error.message);
		} finally {
			this.isPlaying = false;
		}
	}

	/** @param {number} _after */
	follow(_after, {take, note}) {
		[this.take, this.note] = [take, note];
		this.play();
		return () => {
			this.take = this.note = null;
		};
	}
}

/** What a seat sees of a position.
 * @param {any} position  @param {number} seat  @param {Ruleset} ruleset  @returns {View} */
function seenBy(position, seat, ruleset) {
	const shown = new Map(ruleset.zones.map(({name, seen_by: by}) => [name, by]));
	const isOpen = (base, owner) => {
		const by = shown.get(base) ?? "everyone";
		return by === "everyone" || (by === "owner" && owner === seat) || (by.startsWith("the seat in facts.") && position.facts[by.slice(18)] === seat);
	};
	const zones = Object.fromEntries(Object.entries(position.zones).map(([name, cards]) => {
		const [, base, owner] = /^(\w+)(?:\.(\d+))?/.exec(name) ?? ["", name, undefined];
		return [name, isOpen(base, owner === undefined ? null : Number(owner)) ? cards : {count: cards.length}];
	}));
	const facts = Object.fromEntries(Object.entries(position.facts).filter(([name]) => !name.startsWith("private.") || name.startsWith(`private.${seat}.`)));
	return {...position, zones, facts};
}
