// @ts-check
// Moves that are laid out before one's turn: cards of the own seat, for any ruleset.

import {fieldsOf, zonesOf} from "./compose.js";
import {place} from "../texts.js";

/** @import {Choice, Game, Move, NamedField, Order, Ruleset, Table, View} from "../types.d.ts" */

/** The fields of a kind of move of which exactly one takes cards and no other is required; else null.
 * @param {Ruleset} ruleset  @param {string} type */
function cardsAlone(ruleset, type) {
	const {required = []} = ruleset.moves[type];
	const fields = fieldsOf(ruleset.moves[type]);
	const taking = fields.filter(([, schema]) => schema["x-zone"]);
	const others = fields.filter(([, schema]) => !schema["x-zone"]);
	const isAlone = taking.length === 1 && ["card", "cards"].includes(taking[0][2])
		&& others.every(([name, , kind]) => !required.includes(name) && (kind === "flag" || kind === "choice"));
	return isAlone ? {field: taking[0], others} : null;
}

/** Which orders take which cards of the view: zone → the number of the order, or -1, by place.
 * @param {Order[]} orders  @param {Ruleset} ruleset  @param {number} seat  @param {View["zones"]} zones */
export function laidOut(orders, ruleset, seat, zones) {
	/** @type {Record<string, number[]>} */
	const taken = {};
	const table = /** @type {Table} */ ({specs: ruleset.moves, seat, zones});
	orders.forEach(({move}, n) => {
		for (const [name, schema, kind] of fieldsOf(ruleset.moves[move.type])) {
			if (kind !== "card" && kind !== "cards") continue;
			for (const card of [move[name] ?? []].flat()) {
				for (const zone of zonesOf(schema, move, table)) {
					const cards = zones[zone];
					if (!Array.isArray(cards) || place(zone)[1] !== seat) continue;
					taken[zone] ??= cards.map(() => -1);
					const at = cards.findIndex((one, i) => one === card && taken[zone][i] < 0);
					if (at < 0) continue;
					taken[zone][at] = n;
					break;
				}
			}
		}
	});
	return taken;
}

/** What a player can lay out before the own turn, as a table to choose from; null if nothing. Kinds of moves of this phase come first.
 * The moves are those of one card and those that continue what is chosen.
 * @param {Game & {view: View}} game  @param {Ruleset} ruleset  @param {number} seat  @param {Choice} choice  @param {Order[]} orders
 * @returns {Table | null} */
export function tableAhead(game, ruleset, seat, choice, orders) {
	const {phase, zones} = game.view;
	const taken = laidOut(orders, ruleset, seat, zones);
	const table = /** @type {Table} */ ({moves: [], complete: true, specs: ruleset.moves, seat, zones});
	for (const type of new Set([...ruleset.phases[phase] ?? [], ...Object.keys(ruleset.moves)])) {
		const alone = cardsAlone(ruleset, type);
		if (!alone) continue;
		const {field: [name, schema, kind], others} = alone;
		const own = zonesOf(schema, {type}, table).filter(zone => place(zone)[1] === seat && Array.isArray(zones[zone]));
		const zone = choice.picks[0]?.zone ?? own.find(one => free(one).length);
		if (!zone || !own.includes(zone)) continue;
		const cards = free(zone);
		const chosen = kind === "cards" ? choice.picks.map(({card}) => card) : [];
		const sets = kind === "card" ? cards : [...cards.map(card => [card]), ...(chosen.length > 1 ? [chosen] : []), ...(chosen.length ? cards.map(card => [...chosen, card]) : [])];
		table.moves.push(...sets.flatMap(set => variants({type, [name]: set}, others)));
	}
	return table.moves.length ? table : null;

	/** @param {string} zone */
	function free(zone) {
		return /** @type {(string | null)[]} */ (zones[zone]).filter((card, i) => card !== null && !(taken[zone]?.[i] >= 0));
	}
}

/** A move without and with each value of its other fields.
 * @param {Move} move  @param {NamedField[]} others  @returns {Move[]} */
function variants(move, others) {
	return others.reduce((found, [name, schema]) =>
		[...found, ...found.flatMap(one => (schema.enum ?? [true]).map(value => ({...one, [name]: value})))], [move]);
}
