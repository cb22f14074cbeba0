// A game at the server as the table shows it: now, at an older version, its log, what may be played, and moves.

import {client, follow, Problem, remembered} from "./client.js";
import {sign} from "./keys.js";
import {keepReceipt} from "./receipts.js";
import {dropSecret, secretOf} from "./secrets.js";

const SIGNED = {// what a seat's key signs of a request
	"/moves": ({move}) => ({type: "moved", move}),
	"/resignation": () => ({type: "resigned"}),
	"/take-back": () => ({type: "take_back_requested"}),
	"/take-back/answer": ({agree}) => ({type: `take_back_${agree ? "agreed" : "refused"}`}),
	"/vacation": ({days}) => ({type: "vacation_taken", days}),
	"/orders": ({orders}) => ({type: "orders",
		...(orders.every(one => Object.keys(one).length === 1) ? {moves: orders.map(({move}) => move)} : {orders})}),
};

export class LiveGame {
	constructor(id, token, origin = "") {
		this.id = id;
		this.api = client(token, origin);
		this.path = `/v1/games/${id}`;
		this.past = remembered(async version => this.see(await this.api.json(`${this.path}?version=${version}`)));
		this.isOurs = !origin; // only then the shared worker can be asked
	}

	async begin() {
		this.newest = this.see(await this.api.json(this.path));
		this.ruleset = await client("", this.api.origin).json(`/v1/rulesets/${this.newest.ruleset}`); // which needs no token
		return this.newest;
	}

	see(answer) {
		const {receipt} = answer?.game ?? answer ?? {};
		if (receipt && keepReceipt(this.id, receipt)) this.isForked = true;
		return answer;
	}

	async refresh() {
		const game = this.see(await this.api.json(this.path));
		if (game.version >= this.newest.version) this.newest = game;
		return this.newest;
	}

	async at(version) {
		return version >= this.newest.version ? this.newest : this.past(version);
	}

	entries(after, limit) {
		return this.api.entries(this.id, after, limit);
	}

	legal(seat) {
		return this.api.json(`${this.path}/legal-moves?seat=${seat}`);
	}

	move(seat, move, note) {
		return this.post("/moves", {seat, move}, note, {"If-Match": `"${this.newest.version}"`});
	}

	async judge(seat, move) {
		try {
			return (await this.api.json(`${this.path}/moves/dry-run`, {method: "POST", body: {seat, move}})).verdict;
		} catch (error) {
			if (error instanceof Problem && error.body.verdict) return error.body.verdict;
			throw error;
		}
	}

	async post(path, body, note, headers) {
		return this.see(await this.api.once(this.path + path, await this.signed(path, body), {note, headers}));
	}

	async reveal(note) {
		const {dealing, viewer: {seats: [seat]}} = this.newest;
		const entropy = secretOf(this.id);
		if (!entropy || !dealing?.unrevealed.includes(seat) || this.revealing) return false;
		this.revealing = true;
		try {
			await this.post("/entropy", {entropy, seat}, note);
			dropSecret(this.id);
		} finally {
			this.revealing = false;
		}
		return true;
	}

	get hasSecret() {
		return Boolean(secretOf(this.id));
	}

	async signed(path, body) {
		const {seat} = body;
		if (!this.newest.seats[seat]?.public_key || !SIGNED[path]) return body;
		return {...body, signed: await sign(this.newest, {seat, ...SIGNED[path](body)})};
	}

	request(path, options) {
		return this.api.json(this.path + path, options);
	}

	record() {
		return this.api.json(`${this.path}/record`);
	}

	verification() {
		return this.api.json(`${this.path}/verification`);
	}

	/** Follow the log from an entry on: `take` each, `note` trouble, `ended` when nothing will come. */
	follow(after, {take, note, ended}) {
		let last = after;
		const each = entry => {
			if (entry.seq !== last + 1) return;
			last = entry.seq;
			take(entry);
		};
		const how = this.isOurs && typeof SharedWorker === "function" ? "share" : "alone";
		return this[how](() => last, {each, note, ended});
	}

	share(last, {each, note, ended}) {
		const {port} = new SharedWorker("/web/game/streams.js", {type: "module", name: "card-referee"});
		const ask = () => port.postMessage({game: this.id, token: this.api.token, after: last()});
		const leave = () => port.postMessage({stop: true});
		port.onmessage = async ({data}) => {
			if (data.entry) each(data.entry);
			else if ("note" in data) note(data.note);
			else if ("gap" in data) {
				for (const entry of await this.entries(last())) each(entry);
				ask();
			} else if (data.over) ended(data.status);
		};
		port.start();
		const stop = whileSeen(ask, leave, this);
		addEventListener("pagehide", leave);
		addEventListener("pageshow", ({persisted}) => persisted && ask());
		return () => {
			stop();
			port.close();
		};
	}

	alone(last, {each, note, ended}) {
		let controller = new AbortController();
		const begin = () => {
			controller.abort();
			const {signal} = controller = new AbortController();
			follow(this.api, this.id, last(), {take: each, note, signal})
				.then(() => signal.aborted || ended(), error => signal.aborted || ended(error.status ?? 0));
		};
		return whileSeen(begin, () => controller.abort(), this);
	}
}

/** Do something, but not while nobody sees the page, unless it has a secret to reveal; returns what ends it. */
function whileSeen(begin, end, game) {
	const turn = () => (document.visibilityState !== "hidden" ? begin() : game.hasSecret || end());
	document.addEventListener("visibilitychange", turn);
	begin();
	return () => {
		document.removeEventListener("visibilitychange", turn);
		end();
	};
}
