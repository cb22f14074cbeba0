// @ts-check
// Reads entries of a log as they come: from a stream, or by polling.

import {pause, PAUSES} from "./client.js";
import {t} from "../texts.js";

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
