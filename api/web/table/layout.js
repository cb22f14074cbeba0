// @ts-check
// Where seats and the cards of a trick are, and the size of cards at which the whole table is visible.

export const SIDES = ["left", "top", "right", "bottom"];

/** The seats at each side of the table, from the left of the one that comes first, clockwise; a player's own is not there. */
export function sidesOf(places, isSeated) {
	const others = places.slice(1);
	const beside = others.length < 2 ? 0 : others.length < 7 ? 1 : Math.floor(others.length / 3);
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

const LEAST = 12; // the width of a card
const STEPS = 7;
const isWhole = box => box.scrollHeight <= box.clientHeight + 1 && box.scrollWidth <= box.clientWidth + 1;

/** Give the cards in an element the largest size, up to `most`, at which nothing in `boxes` overflows. While `phase` and
 * the room stay the same, cards only become smaller, so that they do not change their size with every move.
 * @param {HTMLElement & {fitted?: string, cardWidth?: number}} element  @param {HTMLElement[]} boxes  @param {number} most  @param {string} phase */
export function fit(element, boxes, most, phase) {
	if (!element.clientWidth) return;
	const same = `${phase} ${Math.round(most)} ${element.clientWidth}`;
	const fits = size => {
		element.style.setProperty("--size", `${size}px`);
		return boxes.every(isWhole);
	};
	let low = LEAST;
	let high = element.fitted === same ? element.cardWidth ?? most : most;
	element.fitted = same;
	if (!fits(high)) {
		for (let step = 0; step < STEPS; step++) {
			const size = (low + high) / 2;
			if (fits(size)) low = size;
			else high = size;
		}
		fits(low);
		high = low;
	}
	element.cardWidth = high;
}
