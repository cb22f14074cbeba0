// @ts-check
// Cards that an entry moved fly to their new places.

import {back, card} from "../cards/cards.js";
import {h, isStill, TRICK} from "./dom.js";
import {transfers} from "../model/sentences.js";

/** @import {Catalogue, Entry} from "../types.d.ts" */

const TIME = 220;
const GLIDE = 420; // of a trick, as one pile
const TURN = 5; // degrees by which a card is turned on its way
const MOST = 12;

/** @param {Element} root */
export function places(root) {
	const found = new Map();
	const put = (selector, name) => root.querySelectorAll(selector).forEach(one => found.set(name(one), one.getBoundingClientRect()));
	put("[data-zone]", ({dataset}) => dataset.zone);
	put("[data-seat] .plate", one => `seat ${one.closest("[data-seat]").dataset.seat}`);
	put("[data-zone] [data-card]", one => `${one.closest("[data-zone]").dataset.zone} ${one.dataset.card}`);
	return found;
}

/** Let the cards of an entry fly; each is visible once, in the air or at its place. Resolves when all have landed. A complete trick
 * rests in its zone first, and glides from there as one pile when it is called for.
 * @param {Element} root  @param {Entry | undefined} entry  @param {Map<string, DOMRect>} before  @param {Catalogue} catalogue
 * @param {string} [trick] the zone of a complete trick  @param {boolean} [isPile] whether the trick itself goes now */
export async function fly(root, entry, before, catalogue, trick, isPile = false) {
	if (isStill() || !entry || typeof root.animate !== "function") return;
	const after = places(root);
	const layer = root.appendChild(h("div.flying", {"aria-hidden": "true"}));
	const origin = layer.getBoundingClientRect();
	const flights = [];
	const moved = transfers(entry);
	const gathered = trick ? moved.findIndex(([from]) => from === trick) : moved.length;
	for (const [n, [from, to, cards]] of moved.entries()) {
		const isAfter = n >= gathered; // the trick itself, and what is drawn or dealt once it is gone
		if (isAfter !== isPile) {
			if (isAfter && from !== trick) for (const id of cards) waiting(root, to, id)?.animate([{opacity: 0}, {opacity: 0}], TRICK);
			continue;
		}
		for (const id of cards) {
			const start = find(before, from, id);
			const end = find(after, to, id);
			if (!start || !end || flights.length >= MOST) continue;
			const made = id === null ? back() : card(id, catalogue);
			made.style.setProperty("--w", `${Math.max(20, Math.min(end.width, end.height / 1.4))}px`);
			layer.append(made);
			const at = ({left, top, width, height}) => `translate(${left + width / 2 - origin.left}px, ${top + height / 2 - origin.top}px) translate(-50%, -50%)`;
			/** @type {KeyframeAnimationOptions} */
			const timing = {duration: from === trick ? GLIDE : TIME, delay: from === trick ? 0 : (isPile ? GLIDE : 0) + Math.min(flights.length * 25, 200), easing: "cubic-bezier(.3,.7,.3,1)", fill: "both"};
			const turn = from === trick ? 0 : TURN * (flights.length % 2 ? -1 : 1);
			const flight = made.animate([{transform: at(start)}, {transform: `${at(end)} rotate(${turn}deg)`, offset: 0.8}, {transform: at(end)}], timing);
			const landed = waiting(root, to, id);
			landed?.style.setProperty("opacity", "0");
			flights.push(flight.finished.catch(() => {}).then(() => {
				landed?.style.removeProperty("opacity");
				made.remove();
			}));
		}
	}
	await Promise.all(flights);
	layer.remove();
}

/** The card at its new place, where it is drawn one by one.
 * @param {Element} root  @param {string | null} zone  @param {string | null} id */
function waiting(root, zone, id) {
	if (zone === null || id === null) return null;
	/** @type {NodeListOf<HTMLElement>} */
	const cards = root.querySelectorAll(`[data-zone="${CSS.escape(zone)}"] [data-card="${CSS.escape(id)}"]`);
	return [...cards].findLast(one => one.style.opacity !== "0") ?? null;
}

/** @param {string | null} zone  @param {string | null} id */
function find(found, zone, id) {
	if (zone === null) return null;
	const seat = /\.(\d+)$/.exec(zone)?.[1];
	const rect = found.get(`${zone} ${id}`) ?? found.get(zone);
	return rect?.width ? rect : found.get(`seat ${seat}`);
}
