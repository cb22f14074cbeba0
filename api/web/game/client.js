// @ts-check
// The API as the pages use it. The token is sent only in a header.

import {language, t} from "../texts.js";

/** @typedef {{method?: string, accept?: string, body?: unknown, headers?: object, signal?: AbortSignal}} Request */

const PAGE = 200;
const PAUSES = [0.5, 1, 2, 5, 10]; // seconds before trying again

export class Problem extends Error {
	constructor(status, body) {
		super(saidBy(body) ?? t("The server answered {status}.", {status}));
		this.status = status;
		this.body = body;
	}
}

/** What a problem says; in other languages than English its title first, which is translated. */
function saidBy({title, detail}) {
	if (language !== "en" && title) return detail ? `${title} (${detail})` : title;
	return detail?.replace(/^name: (.)/, (_, first) => `Your name ${first.toLowerCase()}`) ?? title;
}

export const why = error => (error.status === 404 ? t("There is no such game, or you may not see it.") : error.message);

/** A key under which a request is done once, however often it is sent. */
export const newKey = () => crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map(n => n.toString(16)).join("");

export const gameHere = () => /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(location.pathname)?.[0].toLowerCase() ?? "";

/** The path, after a game's, of its log after an entry.
 * @param {number} after  @param {number} [limit] */
export const eventsAfter = (after, limit = PAGE) => `/events?after=${after}&limit=${Math.min(limit, PAGE)}`;

/** Which entries are loaded with a version: after which one, and how many at most.
 * @param {number} version  @returns {[number, number]} */
export const entriesAround = version => [Math.max(0, version - 80), 120];

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
	const timer = setTimeout(finish, 1000 * seconds);
	globalThis.addEventListener?.("online", finish);
	function finish() {
		clearTimeout(timer);
		globalThis.removeEventListener?.("online", finish);
		done();
	}
});

export function client(token = "", origin = "") {
	const authorization = token ? {Authorization: `Bearer ${token}`} : {};

	/** @param {string} path  @param {Request} [options]  @returns {Promise<Response>} */
	async function request(path, {method = "GET", accept = "application/json", body, headers, signal} = {}) {
		const sent = body === undefined ? {} : {"Content-Type": "application/json"};
		const response = await fetch(origin + path, {
			method, signal, credentials: "omit", cache: "no-store",
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

	/** @param {string} path  @param {object} body  @param {{headers?: object, key?: string, note?: (words: string) => void, signal?: AbortSignal}} [options] */
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

const ASK = 2; // seconds between polls if no stream is free
const END = ["finished", "cancelled"];

/** Pass every entry after `after` to `take`, until `signal` aborts or the game is over: from a stream, or by polling while
 * `mayStream` denies one. `note` gets a text if the connection is lost, and "" when it is back. */
export async function follow(api, game, after, {take, note, signal, mayStream = () => true}) {
	let seen = after;
	const isEnd = entry => {
		if (entry.seq !== seen + 1) return false; // the view, or handled already
		seen = entry.seq;
		take(entry);
		return END.includes(entry.type);
	};
	for (let failures = 0; !signal.aborted; failures += 1) {
		let wait = PAUSES[Math.min(failures, PAUSES.length - 1)];
		try {
			if (mayStream()) {
				const headers = {"Last-Event-ID": String(seen)};
				const response = await api.request(`/v1/games/${game}/events`, {accept: "text/event-stream", signal, headers});
				note("");
				if (response.status === 204) return;
				for await (const data of events(response.body)) {
					failures = 0;
					if (isEnd(data)) return;
				}
			} else {
				const found = await api.entries(game, seen);
				note("");
				if (found.some(isEnd)) return;
				[failures, wait] = [0, ASK];
			}
		} catch (error) {
			if (signal.aborted || (error.status >= 400 && error.status < 429)) throw error;
			note(t("Connection lost. Trying again …"));
		}
		await pause(wait);
	}
}

/** Read the data of server-sent events. EventSource cannot send a token. */
export async function* events(body) {
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let pending = "";
	try {
		for (;;) {
			const {value, done} = await reader.read();
			if (done) return;
			const lines = (pending + value).split("\n");
			pending = lines.pop() ?? "";
			for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
		}
	} finally {
		reader.cancel().catch(() => {});
	}
}
