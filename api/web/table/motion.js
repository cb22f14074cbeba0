// Cards that an entry moved fly to their new places.

import {back, card} from "./cards.js";
import {h} from "./dom.js";
import {transfers} from "../model/model.js";

const TIME = 380;
const MOST = 12;

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function places(root) {
	const found = new Map();
	const put = (selector, name) => root.querySelectorAll(selector).forEach(one => found.set(name(one), one.getBoundingClientRect()));
	put("[data-zone]", ({dataset}) => dataset.zone);
	put("[data-seat] .plate", one => `seat ${one.closest("[data-seat]").dataset.seat}`);
	put("[data-zone] [data-card]", one => `${one.closest("[data-zone]").dataset.zone} ${one.dataset.card}`);
	return found;
}

export function fly(root, entry, before, catalogue) {
	if (isStill() || !entry || typeof root.animate !== "function") return;
	const after = places(root);
	const layer = root.appendChild(h("div.flying", {"aria-hidden": "true"}));
	const origin = layer.getBoundingClientRect();
	let flights = 0;
	for (const [from, to, cards] of transfers(entry)) {
		for (const id of cards) {
			const start = find(before, from, id);
			const end = find(after, to, id);
			if (!start || !end || flights >= MOST) continue;
			flights += 1;
			const made = id === null ? back() : card(id, catalogue);
			layer.append(made);
			const at = ({left, top, width, height}) => `translate(${left + width / 2 - origin.left}px, ${top + height / 2 - origin.top}px) translate(-50%, -50%)`;
			made.animate([{transform: at(start), opacity: 1}, {transform: at(end), opacity: 1, offset: 0.9}, {transform: at(end), opacity: 0}],
				{duration: TIME, delay: Math.min(flights * 25, 200), easing: "cubic-bezier(.3,.7,.3,1)", fill: "both"});
		}
	}
	setTimeout(() => layer.remove(), TIME + 300);
}

function find(found, zone, id) {
	if (zone === null) return null;
	const seat = /\.(\d+)$/.exec(zone)?.[1];
	const rect = found.get(`${zone} ${id}`) ?? found.get(zone);
	return rect?.width ? rect : found.get(`seat ${seat}`);
}
