// @ts-check
// What others do, told in a live region: each entry once, in order, in the words of the log.

import {h} from "./dom.js";
import {scoresBefore, sentences} from "../model/sentences.js";
import {moment, SUIT_NAMES, t} from "../texts.js";

/** @import {Catalogue, Part} from "../types.d.ts" */

const KEPT = 8; // sentences that stay in the region

export class Announcer {
	constructor() {
		this.root = h("div.unseen.announcer", {role: "log", "aria-live": "polite", "aria-label": t("What happens")});
		this.begin(0);
	}

	/** @param {number} version */
	begin(version) {
		this.heard = version;
		this.root.replaceChildren();
	}

	/** Tell the entries up to a version that have not been told; of the player's own moves those that were made without a press.
	 * @param {any} app  @param {(entry: import("../types.d.ts").Entry) => string} unasked */
	announce({timeline: {entries}, version, newest, ruleset, catalogue, seat}, unasked) {
		for (let seq = this.heard + 1; seq <= version; seq++) {
			const entry = entries.get(seq);
			if (!entry) continue;
			const [first, ...outcome] = sentences(entry, newest, scoresBefore(entry, entries), ruleset, entries);
			const isOwn = entry.type === "moved" && entry.seat === seat;
			const done = isOwn ? [[unasked(entry)]] : [first];
			for (const parts of [...done, ...outcome].filter(parts => parts.some(Boolean))) this.root.append(h("p", plain(parts, catalogue)));
		}
		this.heard = Math.max(this.heard, version);
		while (this.root.children.length > KEPT) this.root.firstElementChild?.remove();
	}
}

/** @param {Part[]} parts  @param {Catalogue} catalogue */
function plain(parts, catalogue) {
	return parts.map(part => {
		if (typeof part === "string") return part;
		if ("cards" in part) return part.cards.map(id => catalogue.get(id ?? "")?.name ?? t("a hidden card")).join(", ");
		if ("suit" in part) return SUIT_NAMES[part.suit] ?? part.suit;
		if ("time" in part) return moment(part.time);
		return "name" in part ? part.name : part.said;
	}).join("");
}
