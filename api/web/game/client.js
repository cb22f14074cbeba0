// @ts-check
// The API as the pages use it; a game there, and which of its versions the table shows. The token is sent only in a header.

import {dropSecret, keepReceipt, secretOf} from "./storage.js";
import {further, inLanguage, language, t} from "../texts.js";

/** @import {Entry, Move} from "../types.d.ts" */
/** @import {RecordedGame} from "./recorded.js" */

/** @typedef {{method?: string, accept?: string, body?: unknown, headers?: object, signal?: AbortSignal, keepalive?: boolean}} Request */

export const OFFLINE = t("You are offline. What you do is sent when the connection is back.");
export const ELSEWHERE = t("Only the device on which you took this seat can act for it. Open this table there, signed in: then you play on every device. If it is lost, the others can give your seat to another player or a bot.");
const PAGE = 200;
const RECENT = 80; // entries
export const PAUSES = [0.5, 1, 2, 5, 10]; // seconds before trying again

export class Problem extends Error {
	constructor(status, body) {
		super(saidBy(body) ?? t("The server answered {status}.", {status}));
		this.status = status;
		this.body = body;
	}
}

/** What a problem says: in other languages than English after its title. */
function saidBy({type, title, detail}) {
	if (type === "/problems/signature-needed") return ELSEWHERE;
	if (title && language !== "en") return detail ? `${t(title)} (${detail})` : t(title);
	return detail?.replace(/^name: (.)/, (_, first) => `Your name ${first.toLowerCase()}`) ?? title;
}

export const why = error => (error.status === 404 ? t("There is no such game, or you may not see it.") : error.message);

/** A key under which a request is done once, however often it is sent. */
export const newKey = () => crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map(n => n.toString(16)).join("");

export const gameHere = () => /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(location.pathname)?.[0].toLowerCase() ?? "";

/** The path, after a game's, of its log after an entry.
 * @param {number} after  @param {number} [limit] */
export const eventsAfter = (after, limit = PAGE) => `/events?after=${after}&limit=${Math.min(limit, PAGE)}`;

/** After which entry, and how many, are loaded with a version. @param {number} version  @returns {[number, number]} */
export const entriesAround = version => [Math.max(0, version - RECENT), 120];

/** Cache the results of `find` for the last keys. */
export function remembered(find, most = 300) {
	const past = new Map();
	return async key => {
		if (!past.has(key)) {
			if (past.size >= most) past.delete(past.keys().next().value);
			past.set(key, await find(key));
		}
		return past.get(key);
	};
}

/** Wait; less if the device comes back online meanwhile. */
export const pause = seconds => new Promise((/** @type {(value?: unknown) => void} */ done) => {
	setTimeout(done, 1000 * seconds);
	globalThis.addEventListener?.("online", done, {once: true, signal: AbortSignal.timeout(1000 * seconds)});
});

/** Load a part of the page that was not needed before, as often as it takes; `note` gets a text while that fails, and "" then.
 * @template T  @param {() => Promise<T>} load  @param {(words: string) => void} [note]  @returns {Promise<T>} */
export async function later(load, note = () => {}) {
	for (let failures = 0, again = load; ; failures += 1) {
		try {
			const part = await again();
			if (failures) note("");
			return part;
		} catch (error) {
			const [address] = /https?:\S+/.exec(String(error)) ?? [];
			if (address) again = () => import(`${address}?${failures}`); // many browsers try an address only once
			note(navigator.onLine === false ? OFFLINE : t("A part of this page could not be loaded. Trying again …"));
			await pause(2);
			if (failures && address && await isStuck(address)) location.reload();
		}
	}
}

/** Whether a part comes again but not what it imports, of which browsers ask once; not in a page that was loaded again for it. */
const isStuck = async address => new URL(address).origin === location.origin
	&& /** @type {any} */ (performance.getEntriesByType("navigation")[0]).type !== "reload" && (await fetch(address).catch(() => null))?.ok;

/** A response that the page of a table has asked for itself, see `table-first.js`; whoever is first takes it.
 * @param {string} key  @returns {Promise<Response> | null} */
function askedFirst(key) {
	const asked = /** @type {any} */ (globalThis).askedFirst;
	const found = asked?.get(key) ?? null;
	asked?.delete(key);
	return found;
}

export function client(token = "", origin = "") {
	const authorization = token ? {Authorization: `Bearer ${token}`} : {};

	/** @param {string} path  @param {Request} [options]  @returns {Promise<Response>} */
	async function request(path, {method = "GET", accept = "application/json", body, headers, signal, keepalive} = {}) {
		const sent = body === undefined ? {} : {"Content-Type": "application/json"};
		const response = await (origin || method !== "GET" ? null : askedFirst(`${token} ${path}`)) ?? await fetch(origin + path, {
			method, signal, keepalive, credentials: "omit", cache: "no-store",
			body: body === undefined ? undefined : JSON.stringify(body),
			headers: {Accept: accept, "Accept-Language": language, ...authorization, ...sent, ...headers},
		});
		if (response.ok) return response;
		throw new Problem(response.status, await response.json().catch(() => ({})));
	}

	/** @param {string} path  @param {Request} [options]  @returns {Promise<any>} */
	async function json(path, options) {
		const response = await request(path, options);
		return response.status === 204 ? null : response.json();
	}

	/** @param {string} path  @param {object | undefined} body  @param {{headers?: object, key?: string, note?: (words: string) => void, signal?: AbortSignal}} [options] */
	async function once(path, body, {headers = {}, key = newKey(), note = () => {}, signal} = {}) {
		for (let failures = 0; ; failures += 1) {
			try {
				return await json(path, {method: "POST", body, signal, headers: {...headers, "Idempotency-Key": key}});
			} catch (error) {
				if (signal?.aborted || (error instanceof Problem && error.status !== 503 && error.status !== 429)) throw error;
				note(t("Connection lost. Your move will be sent again …"));
			}
			await pause(PAUSES[Math.min(failures, PAUSES.length - 1)]);
		}
	}

	const entries = async (game, after, limit) => (await json(`/v1/games/${game}${eventsAfter(after, limit)}`)).items;

	return {request, json, once, entries, token, origin};
}

const legalMovesOf = seat => `/legal-moves?seat=${seat}`;

/** A ruleset in the language of the page; its guide in another one that the reader prefers, if the game has it.
 * @param {any} api  @param {string} id */
export async function rulesetOf(api, id) {
	const path = `/v1/rulesets/${encodeURIComponent(id)}`;
	const found = await api.json(path + inLanguage);
	const guided = further(found.languages);
	if (!guided) return found;
	const {summary, how_to_play} = await api.json(`${path}?language=${guided}`);
	return {...found, summary, how_to_play, guided};
}

export class LiveGame {
	/** @param {string} id  @param {string} token  @param {() => Promise<{follow: Function}>} following  @param {string} [origin] */
	constructor(id, token, following, origin = "") {
		this.id = id;
		this.following = following; // `following.js`, which comes later
		this.api = client(token, origin);
		this.path = `/v1/games/${id}`;
		/** @type {Map<string, Promise<any>>} responses that nobody has taken yet, by path */
		this.ahead = new Map();
		this.turn = new AbortController(); // of the questions about the newest version
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
		const found = rulesetOf(client("", this.api.origin), ruleset); // which needs no token
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
		if (game.version > this.newest.version) this.overtake();
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
		return this.question(`/suggestion?seat=${seat}`);
	}

	/** @param {number} seat  @param {Move} move  @param {(words: string) => void} note */
	move(seat, move, note) {
		this.overtake();
		return this.post("/moves", {seat, move}, note, {"If-Match": `"${this.newest.version}"`});
	}

	/** @param {number} seat  @param {Move} move */
	judge(seat, move) {
		return this.question("/moves/dry-run", {method: "POST", body: {seat, move}})
			.then(found => found?.verdict ?? null, error => error.body?.verdict ?? Promise.reject(error));
	}

	/** Ask about the newest version; null if the game goes on meanwhile: the answer would be of no use, and after the end a refusal.
	 * @param {string} path  @param {Request} [options] */
	async question(path, options) {
		const {signal} = this.turn;
		return this.newest.result ? null : this.request(path, {...options, signal}).catch(error => (signal.aborted ? null : Promise.reject(error)));
	}

	/** Give up the questions that have no answer yet. */
	overtake() {
		this.turn.abort();
		this.turn = new AbortController();
	}

	/** @param {string} path  @param {any} body  @param {(words: string) => void} [note]  @param {object} [headers] */
	async post(path, body, note, headers) {
		return this.see(await this.api.once(this.path + path, await this.signed(path, body, note), {note, headers}));
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

	/** @param {string} path  @param {any} body  @param {(words: string) => void} [note] */
	async signed(path, body, note) {
		return this.newest.seats[body.seat]?.public_key ? (await later(() => import("./keys.js"), note)).signed(this.newest, path, body) : body;
	}

	/** @param {string} path  @param {Request} [options] */
	request(path, options = {}) {
		return this.api.json(this.path + path, options);
	}

	async record() {
		const {readStrictly} = await later(() => import("../verify/shapes.js"));
		return readStrictly(await (await this.api.request(`${this.path}/record`)).text());
	}

	verification() {
		return this.request("/verification");
	}

	/** Follow the log from an entry on, see `following.js`; return a function that ends it.
	 * @param {number} after  @param {import("./following.js").Follower} follower */
	follow(after, follower) {
		let hasEnded = false;
		let stop = () => {};
		later(this.following, follower.note).then(({follow}) => {
			if (!hasEnded) stop = follow(this, after, follower);
		});
		return () => {
			hasEnded = true;
			stop();
		};
	}
}

/** Which version of a game is on the table: the newest one, or an earlier one that somebody looks at. */
export class Timeline {
	/** @param {import("../table/app.js").TableApp} app  @param {() => Promise<{RecordedGame: typeof RecordedGame}>} recording */
	constructor(app, recording) {
		this.app = app;
		this.recording = recording; // `recorded.js`, which comes later
		/** @type {Map<number, Entry>} */
		this.entries = new Map();
		this.wanted = 0;
		this.isFollowing = true;
		/** @type {RecordedGame | null} */
		this.recorded = null;
		this.hasOpenHands = false;
	}

	begin() {
		this.entries = new Map();
		this.recorded = null;
		this.hasOpenHands = false;
	}

	/** Show a version; while one is loading, the last one asked for is next. @param {number} version */
	async goTo(version) {
		const {app} = this;
		this.wanted = Math.max(1, Math.min(version, app.newest.version));
		this.isFollowing = this.wanted === app.newest.version;
		app.replay?.draw(this.wanted, app.newest.version);
		if (this.isGoing) return;
		this.isGoing = true;
		try {
			while (app.version !== this.wanted) await this.show(this.wanted);
		} catch (error) {
			app.replay?.pause();
			app.note(error);
		} finally {
			this.isGoing = false;
		}
		if (this.isFollowing) app.ask();
	}

	/** Load a version with the entries before it, and put it on the table unless another one is wanted by then.
	 * @param {number} version */
	async show(version) {
		this.wanted = version;
		const {app, entries} = this;
		const {opened, live, newest} = app;
		const lacks = !entries.has(version) || !entries.has(Math.max(1, version - 20));
		const source = this.hasOpenHands && this.recorded ? this.recorded : live;
		const [game, loaded] = await Promise.all([source.at(version), lacks ? live.entries(...entriesAround(version)) : []]);
		if (opened !== app.opened) return;
		for (const entry of loaded) entries.set(entry.seq, entry);
		if (this.wanted !== version) return;
		app.put(source === live ? game : {...newest, ...game, id: newest.id, viewer: {...newest.viewer, whole: true}});
	}

	/** Show all hands of a finished game, or only what the viewer saw. @param {boolean} isWanted */
	async openHands(isWanted) {
		const {live} = this.app;
		if (isWanted && !this.recorded) {
			try {
				const {RecordedGame: Recorded} = await this.app.later(this.recording);
				const recorded = new Recorded(await live.record(), live.api.origin);
				await recorded.begin();
				this.recorded = recorded;
			} catch {
				return; // cards stay as seen before
			}
		}
		this.hasOpenHands = isWanted;
		await this.show(this.wanted);
	}

	/** All loaded entries, in order. */
	known() {
		return [...this.entries.values()].sort((one, other) => one.seq - other.seq);
	}

	/** The entries that lead to the version shown. */
	recent() {
		const {version} = this.app;
		const found = [];
		for (let seq = version; seq > version - RECENT; seq--) {
			const entry = this.entries.get(seq);
			if (!entry) break;
			found.push(entry);
		}
		return found.reverse();
	}
}
