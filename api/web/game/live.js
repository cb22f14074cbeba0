// @ts-check
// A game on the server, as the table shows it.

import {readStrictly} from "../verify/shapes.js";
import {client, remembered} from "./client.js";
import {sign} from "./keys.js";
import {keepReceipt} from "./receipts.js";
import {connect} from "./streams.js";
import {dropSecret, secretOf} from "./storage.js";

/** @import {Move} from "../types.d.ts" */

const SIGNED = {// what a seat's key signs of a request
	"/moves": ({move}) => ({type: "moved", move}),
	"/resignation": () => ({type: "resigned"}),
	"/take-back": () => ({type: "take_back_requested"}),
	"/take-back/answer": ({agree}) => ({type: `take_back_${agree ? "agreed" : "refused"}`}),
	"/vacation": ({days}) => ({type: "vacation_taken", days}),
	"/pause": () => ({type: "pause_agreed"}),
	"/resumption": () => ({type: "resumed"}),
	"/orders": ({orders}) => ({type: "orders",
		...(orders.every(one => Object.keys(one).length === 1) ? {moves: orders.map(({move}) => move)} : {orders})}),
};

export class LiveGame {
	constructor(id, token, origin = "") {
		this.id = id;
		this.api = client(token, origin);
		this.path = `/v1/games/${id}`;
		this.past = remembered(async version => this.see(await this.api.json(`${this.path}?version=${version}`)));
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

	/** @param {number} version */
	async at(version) {
		return version >= this.newest.version ? this.newest : this.past(version);
	}

	/** @param {number} after  @param {number} [limit] */
	entries(after, limit) {
		return this.api.entries(this.id, after, limit);
	}

	/** @param {number} seat */
	legal(seat) {
		return this.request(`/legal-moves?seat=${seat}`);
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
		if (!entropy || !dealing?.unrevealed.includes(seat) || this.revealing) return false;
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
		return {...body, signed: await sign(this.newest, {seat, ...SIGNED[path](body)})};
	}

	/** @param {string} path  @param {import("./client.js").Request} [options] */
	request(path, options = {}) {
		return this.api.json(this.path + path, options);
	}

	async record() {
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
	connect(port2);
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
