// @ts-check
// A game on the server, as the table shows it.

import {client, entriesAround, eventsAfter, remembered} from "./client.js";
import {dropSecret, keepReceipt, secretOf} from "./storage.js";
import {inLanguage} from "../texts.js";

/** @import {Move} from "../types.d.ts" */

const SIGNED = {// what a seat's key signs of a request
	"/moves": ({move}) => ({type: "moved", move}),
	"/resignation": () => ({type: "resigned"}),
	"/take-back": () => ({type: "take_back_requested"}),
	"/take-back/answer": ({agree}) => ({type: `take_back_${agree ? "agreed" : "refused"}`}),
	"/vacation": ({days}) => ({type: "vacation_taken", days}),
	"/pause": () => ({type: "pause_agreed"}),
	"/ending": ({ending}) => ({type: "ending_agreed", ending}),
	"/resumption": () => ({type: "resumed"}),
	"/orders": ({orders}) => ({type: "orders",
		...(orders.every(one => Object.keys(one).length === 1) ? {moves: orders.map(({move}) => move)} : {orders})}),
};

const legalMovesOf = seat => `/legal-moves?seat=${seat}`;

export class LiveGame {
	constructor(id, token, origin = "") {
		this.id = id;
		this.api = client(token, origin);
		this.path = `/v1/games/${id}`;
		/** @type {Map<string, Promise<any>>} responses that nobody has taken yet, by path */
		this.ahead = new Map();
		this.past = remembered(async version => this.see(await this.api.json(`${this.path}?version=${version}`)));
	}

	/** Load the game, or await it if that has begun. */
	begin() {
		const loading = this.loading ?? this.load();
		this.loading = null;
		return loading;
	}

	/** Load the game; ask at once for all that is shown first. */
	async load() {
		const {status, ruleset, version, paused, viewer: {seats: [seat]}} = this.newest = this.see(await this.api.json(this.path));
		const found = client("", this.api.origin).json(`/v1/rulesets/${ruleset}${inLanguage}`); // which needs no token
		this.ahead.clear();
		this.askAhead(eventsAfter(...entriesAround(version)));
		if (seat !== undefined && status === "running" && !paused) this.askAhead(legalMovesOf(seat));
		this.ruleset = await found;
		return this.newest;
	}

	/** Send a request whose response the next one like it takes. @param {string} path */
	askAhead(path) {
		const response = this.api.json(this.path + path);
		response.catch(() => {}); // who takes it hears of it
		this.ahead.set(path, response);
	}

	/** The response to a request, which may have been asked for ahead. @param {string} path */
	take(path) {
		const response = this.ahead.get(path) ?? this.request(path);
		this.ahead.delete(path);
		return response;
	}

	see(answer) {
		const {receipt} = answer?.game ?? answer ?? {};
		if (receipt && keepReceipt(this.id, receipt)) this.isForked = true;
		return answer;
	}

	async refresh() {
		this.ahead.clear();
		const game = this.see(await this.api.json(this.path));
		if (game.version >= this.newest.version) this.newest = game;
		return this.newest;
	}

	/** @param {number} version */
	async at(version) {
		return version >= this.newest.version ? this.newest : this.past(version);
	}

	/** @param {number} after  @param {number} [limit] */
	async entries(after, limit) {
		return (await this.take(eventsAfter(after, limit))).items;
	}

	/** @param {number} seat */
	legal(seat) {
		return this.take(legalMovesOf(seat));
	}

	/** @param {number} seat */
	suggest(seat) {
		return this.request(`/suggestion?seat=${seat}`);
	}

	/** @param {number} seat  @param {Move} move  @param {(words: string) => void} note */
	move(seat, move, note) {
		return this.post("/moves", {seat, move}, note, {"If-Match": `"${this.newest.version}"`});
	}

	/** @param {number} seat  @param {Move} move */
	judge(seat, move) {
		return this.request("/moves/dry-run", {method: "POST", body: {seat, move}})
			.then(({verdict}) => verdict, error => error.body?.verdict ?? Promise.reject(error));
	}

	/** @param {string} path  @param {any} body  @param {(words: string) => void} [note]  @param {object} [headers] */
	async post(path, body, note, headers) {
		return this.see(await this.api.once(this.path + path, await this.signed(path, body), {note, headers}));
	}

	/** @param {(words: string) => void} note */
	async reveal(note) {
		const {dealing, viewer: {seats: [seat]}} = this.newest;
		const entropy = secretOf(this.id, seat);
		if (!entropy || !dealing?.seats_to_reveal.includes(seat) || this.revealing) return false;
		this.revealing = true;
		try {
			await this.post("/entropy", {entropy, seat}, note);
			dropSecret(this.id, seat);
		} finally {
			this.revealing = false;
		}
		return true;
	}

	get hasSecret() {
		return Boolean(secretOf(this.id, this.newest?.viewer.seats[0]));
	}

	/** @param {string} path  @param {any} body */
	async signed(path, body) {
		const {seat} = body;
		if (!this.newest.seats[seat]?.public_key || !SIGNED[path]) return body;
		return {...body, signed: await (await import("./keys.js")).sign(this.newest, {seat, ...SIGNED[path](body)})};
	}

	/** @param {string} path  @param {import("./client.js").Request} [options] */
	request(path, options = {}) {
		return this.api.json(this.path + path, options);
	}

	async record() {
		const {readStrictly} = await import("../verify/shapes.js");
		return readStrictly(await (await this.api.request(`${this.path}/record`)).text());
	}

	verification() {
		return this.request("/verification");
	}

	/** Follow the log from an entry on: `take` each, `note` trouble, `ended` when nothing will come. All tabs share what
	 * follows where they can; otherwise, and on other sites, the page has its own. */
	follow(after, {take, note, ended}) {
		let last = after;
		const each = entry => {
			if (entry.seq !== last + 1) return;
			last = entry.seq;
			take(entry);
		};
		const {id: game, api: {token, origin}} = this;
		const isShared = !origin && typeof SharedWorker === "function";
		const port = isShared ? new SharedWorker("/web/game/streams.js", {type: "module", name: "card-referee"}).port : ownPort();
		const ask = () => port.postMessage({game, token, origin, after: last});
		const leave = () => port.postMessage({stop: true});
		port.onmessage = async ({data}) => {
			if (data.entry) each(data.entry);
			else if ("note" in data) note(data.note);
			else if ("gap" in data) {
				for (const entry of await this.entries(last)) each(entry);
				ask();
			} else if (data.over) ended(data.status);
		};
		const stop = whileSeen(ask, leave, this);
		addEventListener("pagehide", leave);
		addEventListener("pageshow", ({persisted}) => persisted && ask());
		return () => {
			stop();
			port.close();
		};
	}
}

function ownPort() {
	const {port1, port2} = new MessageChannel();
	import("./streams.js").then(({connect}) => connect(port2));
	return port1;
}

/** Do something while the page is visible or has a secret to reveal; return a function that ends it.
 * @param {LiveGame} game */
function whileSeen(begin, end, game) {
	const turn = () => (document.visibilityState !== "hidden" ? begin() : game.hasSecret || end());
	document.addEventListener("visibilitychange", turn);
	begin();
	return () => {
		document.removeEventListener("visibilitychange", turn);
		end();
	};
}
