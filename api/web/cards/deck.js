// @ts-check
// Cards as a small picture outside of a table.

import {card, paint} from "./cards.js";
import {faces} from "./faces.js";
import {h} from "../table/dom.js";

paint(faces);

/** Cards side by side; `all` describes each of them.
 * @param {string[]} cards  @param {any[]} all */
export function deck(cards, all) {
	const catalogue = new Map(all.map(one => [one.id, one]));
	return h("span.deck", {"aria-hidden": "true", style: {"--n": cards.length}}, ...cards.map(id => card(id, catalogue, "span", {role: false, "aria-label": false})));
}

/** What a ruleset shows of its cards, wherever it is offered. */
export const sample = ({tile: {cards}}) => deck(cards.map(({id}) => id), cards);
