// @ts-check
// Follows the log of a game in a page.

import {later} from "./client.js";

/** @import {Entry} from "../types.d.ts" */
/** @import {LiveGame} from "./client.js" */

/** @typedef {{take: (entry: Entry) => void, note: (words: string) => void, ended: (status?: number) => void}} Follower */

/** Follow the log of a game from an entry on: `take` each, `note` trouble, `ended` when nothing will come. All tabs share what
 * follows where they can; otherwise, and on other sites, the page has its own. Returns a function that ends it.
 * @param {LiveGame} live  @param {number} after  @param {Follower} follower */
export function follow(live, after, {take, note, ended}) {
	let last = after;
	const each = entry => {
		if (entry.seq !== last + 1) return;
		last = entry.seq;
		take(entry);
	};
	const {id: game, api: {token, origin}} = live;
	const isShared = !origin && typeof SharedWorker === "function";
	const port = isShared ? new SharedWorker("/web/game/streams.js", {type: "module", name: "card-referee"}).port : ownPort(note);
	const ask = () => port.postMessage({game, token, origin, after: last});
	const leave = () => port.postMessage({stop: true});
	port.onmessage = async ({data}) => {
		if (data.entry) each(data.entry);
		else if ("note" in data) note(data.note);
		else if ("gap" in data) {
			for (const entry of await live.entries(last)) each(entry);
			ask();
		} else if (data.over) ended(data.status);
	};
	const stop = whileSeen(ask, leave, live);
	addEventListener("pagehide", leave);
	addEventListener("pageshow", ({persisted}) => persisted && ask());
	return () => {
		stop();
		port.close();
	};
}

/** @param {Follower["note"]} note */
function ownPort(note) {
	const {port1, port2} = new MessageChannel();
	later(() => import("./streams.js"), note).then(({connect}) => connect(port2));
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
