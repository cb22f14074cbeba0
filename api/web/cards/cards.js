// @ts-check
// Cards as elements, from the catalogue that the ruleset publishes.

import {chosen} from "../game/storage.js";
import {h} from "../table/dom.js";
import {faces} from "./faces.js";
import {SUITS} from "../model/words.js";
import {t} from "../texts.js";

/** @import {Catalogue} from "../types.d.ts" */

const RANKS = {T: "10", X: "★"};

/** @param {Catalogue} catalogue */
export function face(card, catalogue) {
	const known = catalogue.get(card);
	if (!known) return {rank: String(card), name: String(card), colour: "black", known: {rank: String(card), name: String(card), colour: "black"}};
	return {rank: RANKS[known.rank] ?? known.rank, name: known.name, colour: known.colour, known};
}

/** "4♦", or the name of a card whose suit is a game's own: its letter may be that of a French suit.
 * @param {Catalogue} catalogue */
export function short(card, catalogue) {
	const {rank, name} = face(card, catalogue);
	const {suit, icon} = catalogue.get(card) ?? {};
	return !suit ? rank : icon || !SUITS[suit] ? name : rank + SUITS[suit];
}

/** @param {string} id  @param {import("../types.d.ts").Catalogue} catalogue  @param {"span" | "button"} [tag] */
export function card(id, catalogue, tag = "span", attributes = {}) {
	const {rank, name, colour, known} = face(id, catalogue);
	const role = tag === "span" && "img";
	return h(tag, {class: `card ${colour}`, role, "aria-label": name, "data-card": id, ...attributes}, ...faces(known, rank));
}

/** @param {"span" | "button"} [tag] */
export function back(tag = "span", attributes = {}) {
	return h(tag, {class: "card back", role: tag === "span" && "img", "aria-label": t("hidden card"), ...attributes});
}

/** @param {string} id  @param {Catalogue} catalogue */
export function inline(id, catalogue) {
	const {name, colour} = face(id, catalogue);
	return h("span", {class: `inline ${colour}`, role: "img", "aria-label": name, "data-card": id}, short(id, catalogue));
}

export const FELTS = ["green", "blue", "plum", "teal", "brick", "slate"];
export const BACKS = ["weave", "stripes", "dots", "plain"];

/** A felt for each game, unless the player has chosen one for all.
 * @param {HTMLElement} root  @param {string} ruleset */
export function dress(root, ruleset) {
	const sum = [...ruleset].reduce((total, letter) => total + letter.charCodeAt(0), 0);
	root.dataset.felt = FELTS.includes(chosen("felt")) ? chosen("felt") : FELTS[sum % FELTS.length];
	root.dataset.back = BACKS.includes(chosen("back")) ? chosen("back") : BACKS[0];
}
