// @ts-check
// Cards as elements, from the catalogue that the ruleset publishes.

import {h} from "../table/dom.js";
import {faces} from "./faces.js";
import {SUITS} from "../model/words.js";

/** @import {Catalogue} from "../types.d.ts" */

const RANKS = {T: "10", X: "★"};

/** @param {Catalogue} catalogue */
export function face(card, catalogue) {
	const known = catalogue.get(card);
	if (!known) return {rank: String(card), pip: "", name: String(card), colour: "black", known: {rank: String(card), name: String(card), colour: "black"}};
	const pip = SUITS[known.suit] ?? (known.suit ? known.name.split(" ")[0] : "");
	return {rank: RANKS[known.rank] ?? known.rank, pip, name: known.name, colour: known.colour, known};
}

/** @param {Catalogue} catalogue */
export function short(card, catalogue) {
	const {rank, pip} = face(card, catalogue);
	return SUITS[catalogue.get(card)?.suit] ? rank + pip : pip ? `${pip} ${rank}` : rank;
}

/** @param {string} id  @param {import("../types.d.ts").Catalogue} catalogue  @param {"span" | "button"} [tag] */
export function card(id, catalogue, tag = "span", attributes = {}) {
	const {rank, name, colour, known} = face(id, catalogue);
	const role = tag === "span" && "img";
	return h(tag, {class: `card ${colour}`, role, "aria-label": name, "data-card": id, ...attributes}, ...faces(known, rank));
}

/** @param {"span" | "button"} [tag] */
export function back(tag = "span", attributes = {}) {
	return h(tag, {class: "card back", role: tag === "span" && "img", "aria-label": "hidden card", ...attributes});
}

/** @param {string} id  @param {Catalogue} catalogue */
export function inline(id, catalogue) {
	const {name, colour} = face(id, catalogue);
	return h("span", {class: `inline ${colour}`, role: "img", "aria-label": name, "data-card": id}, short(id, catalogue));
}
