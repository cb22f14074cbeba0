// The API as the pages use it. The token goes into a header and nowhere else.

const PAGE = 200;
export const PAUSES = [0.5, 1, 2, 5, 10]; // seconds before trying again

export class Problem extends Error {
	constructor(status, body) {
		super(body.detail ?? body.title ?? `The server answers ${status}.`);
		this.status = status;
		this.body = body;
	}
}

export const why = error => (error.status === 404 ? "There is no such game, or not for you." : error.message);

export const gameHere = () => /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(location.pathname)[0].toLowerCase();

export const pause = seconds => new Promise(done => setTimeout(done, 1000 * seconds));

export function client(token = "", origin = "") {
	const authorization = token ? {Authorization: `Bearer ${token}`} : {};

	async function request(path, {method = "GET", accept = "application/json", body, headers, signal} = {}) {
		const sent = body === undefined ? {} : {"Content-Type": "application/json"};
		const response = await fetch(origin + path, {
			method, signal, credentials: "omit", cache: "no-store",
			body: body === undefined ? undefined : JSON.stringify(body),
			headers: {Accept: accept, ...authorization, ...sent, ...headers},
		});
		if (response.ok) return response;
		throw new Problem(response.status, await response.json().catch(() => ({})));
	}

	async function json(path, options) {
		const response = await request(path, options);
		return response.status === 204 ? null : response.json();
	}

	async function once(path, body, {headers = {}, note = () => {}, signal} = {}) {
		const key = crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map(n => n.toString(16)).join("");
		for (let failures = 0; ; failures += 1) {
			try {
				return await json(path, {method: "POST", body, signal, headers: {...headers, "Idempotency-Key": key}});
			} catch (error) {
				if (signal?.aborted || (error instanceof Problem && error.status !== 503 && error.status !== 429)) throw error;
				note("The connection is lost; your move will be sent again …");
			}
			await pause(PAUSES[Math.min(failures, PAUSES.length - 1)]);
		}
	}

	const entries = async (game, after, limit = PAGE) =>
		(await json(`/v1/games/${game}/events?after=${after}&limit=${Math.min(limit, PAGE)}`)).items;

	return {request, json, once, entries, token, origin};
}

/** Pass to `take` every entry after `after`, until `signal` aborts or the game is over. `note` is told of lost
 * connections, and "" once it stands again. */
export async function follow(api, game, after, {take, note, signal}) {
	let seen = after;
	for (let failures = 0; !signal.aborted; failures += 1) {
		try {
			const headers = {"Last-Event-ID": String(seen)};
			const response = await api.request(`/v1/games/${game}/events`, {accept: "text/event-stream", signal, headers});
			note("");
			if (response.status === 204) return;
			for await (const data of events(response.body)) {
				failures = 0;
				if (data.seq !== seen + 1) continue; // the view, or told already
				seen = data.seq;
				take(data);
				if (data.type === "finished" || data.type === "cancelled") return;
			}
		} catch (error) {
			if (signal.aborted || (error.status >= 400 && error.status < 429)) throw error;
			note("The connection is lost; trying again …");
		}
		await pause(PAUSES[Math.min(failures, PAUSES.length - 1)]);
	}
}

/** Read server-sent events, their data only, as our server writes them. EventSource cannot send a token. */
async function* events(body) {
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let pending = "";
	try {
		for (;;) {
			const {value, done} = await reader.read();
			if (done) return;
			const lines = (pending + value).split("\n");
			pending = lines.pop();
			for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
		}
	} finally {
		reader.cancel().catch(() => {});
	}
}
