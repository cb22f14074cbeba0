// @ts-check
// Cards as elements, from the catalogue that the ruleset publishes; where seats and the cards of a trick are.

import {chosen} from "../game/storage.js";
import {h} from "../table/dom.js";
import {SUITS, t} from "../texts.js";

/** @import {Catalogue} from "../types.d.ts" */

/** @typedef {typeof import("./faces.js").faces} Faces */

/** @type {Faces | null} the pictures, which are drawn once they have come */
let faces = null;
/** @type {[element: HTMLElement, ...Parameters<Faces>][]} */
const waiting = [];

/** Draw the pictures of all cards. @param {Faces} given */
export function paint(given) {
	faces = given;
	for (const [made, ...of] of waiting.splice(0)) made.replaceChildren(...given(...of));
}

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
	const made = h(tag, {class: `card ${colour}`, role, "aria-label": name, "data-card": id, ...attributes});
	made.append(...faces?.(known, rank) ?? [h("span.rank", {"aria-hidden": "true"}, short(id, catalogue))]);
	if (!faces) waiting.push([made, known, rank]);
	return made;
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

/** A felt for each game, unless the player has chosen one for all tables.
 * @param {HTMLElement} root  @param {string} ruleset */
export function dress(root, ruleset, isTable = true) {
	const sum = [...ruleset].reduce((total, letter) => (10 * total + letter.charCodeAt(0)) % 100003, 0);
	root.dataset.felt = isTable && FELTS.includes(chosen("felt")) ? chosen("felt") : FELTS[sum % FELTS.length];
	root.dataset.back = BACKS.includes(chosen("back")) ? chosen("back") : BACKS[0];
}

export const SIDES = ["left", "top", "right", "bottom"];

/** The seats at each side of the table, from the left of the one that comes first, clockwise; a player's own is not there. */
export function sidesOf(places, isSeated) {
	const others = places.slice(1);
	const third = others.length / 3;
	const beside = others.length < 2 ? 0 : others.length < 7 ? 1 : others.length < 11 ? Math.floor(third) : Math.ceil(third);
	const right = beside ? others.slice(-beside).reverse() : [];
	return {
		left: others.slice(0, beside).reverse(), top: others.slice(beside, others.length - right.length), right,
		bottom: isSeated ? [] : places.slice(0, 1),
	};
}

/** The places of a trick's cards, `[x, y]`, the first one nearest and then clockwise: cards never overlap there. x counts
 * cards from the middle; y is 1 in the near row, -1 in the far one, and 0 between both.
 * @param {number} seats */
export function trickPlaces(seats) {
	if (seats < 2) return [[0, 0]];
	const hasEnds = seats % 4 === 0;
	const near = hasEnds ? (seats - 2) / 2 : 2 * Math.floor(seats / 4) + 1;
	const far = hasEnds ? near : seats - near;
	const half = (near - 1) / 2;
	const end = half + 1;
	const row = (from, count, y, step) => Array.from({length: count}, (_, i) => [from + i * step, y]);
	return [...row(0, half + 1, 1, -1), ...(hasEnds ? [[-end, 0]] : []), ...row(-(far - 1) / 2, far, -1, 1),
		...(hasEnds ? [[end, 0]] : []), ...row(half, half, 1, -1)];
}
