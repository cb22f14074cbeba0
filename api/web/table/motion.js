// Cards on their way: what an entry moved flies from where it lay to where it lies now.

import {back, card} from "./cards.js";
import {transfers} from "../model/model.js";

const TIME = 380; // milliseconds
const MOST = 12; // cards at once

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function places(root) {
	const found = new Map();
	for (const zone of root.querySelectorAll("[data-zone]")) found.set(zone.dataset.zone, zone.getBoundingClientRect());
	for (const seat of root.querySelectorAll("[data-seat]")) {
		const plate = seat.querySelector(".plate");
		if (plate) found.set(`seat ${seat.dataset.seat}`, plate.getBoundingClientRect());
	}
	for (const one of root.querySelectorAll("[data-zone] [data-card]")) {
		const zone = one.closest("[data-zone]").dataset.zone;
		found.set(`${zone} ${one.dataset.card}`, one.getBoundingClientRect());
	}
	return found;
}

export function fly(root, entry, before, catalogue) {
	if (isStill() || !entry || typeof root.animate !== "function") return;
	const after = places(root);
	const layer = root.appendChild(Object.assign(document.createElement("div"), {className: "flying"}));
	layer.setAttribute("aria-hidden", "true");
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
