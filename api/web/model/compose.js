// @ts-check
// Composes a move from the listed ones, for any ruleset. `table`: {moves, complete, specs, seat, zones, ranks}: legal
// moves, whether these are all, the schema of each type. A choice: {type, picks: tapped cards in order, values by field}.

/** @import {Cards, Choice, Field, Kind, Move, MoveSpec, NamedField, Pick, Table} from "../types.d.ts" */
/** @typedef {{name: string, kind: Kind, schema: Field, value: any, values?: any[], isOptional?: boolean}} Asked a field that the player is asked for */

/** @type {Choice} */
export const NOTHING = Object.freeze({type: null, picks: [], values: {}});

/** @param {MoveSpec} spec */
export const isTalk = spec => Object.values(spec.properties)
	.some(({type, ...schema}) => type === "string" && !("const" in schema) && !("enum" in schema) && !schema["x-zone"]);

/** The fields of a move, with what they are for.
 * @param {MoveSpec | undefined} spec  @returns {NamedField[]} */
export function fieldsOf(spec) {
	return Object.entries(spec?.properties ?? {})
		.filter(([name]) => name !== "type").map(([name, schema]) => [name, schema, kindOf(schema)]);
}

/** @param {Move} move  @param {Table} table */
const fieldsIn = (move, table) => fieldsOf(table.specs[move.type]);

/** @param {Field} schema  @returns {Kind} */
function kindOf(schema) {
	const zones = schema["x-zone"];
	if (zones && schema["x-role"] === "position") return "place";
	if (zones && schema.type === "array") return "cards";
	if (zones && schema.type === "string") return "card";
	if (zones) return "zone"; // names a zone together with the other fields
	if (schema["x-role"] === "seat") return "seat";
	if (schema.enum) return "choice";
	if (schema.type === "boolean") return "flag";
	return schema.type === "string" ? "text" : "number";
}

/** @param {Field} schema  @param {Move} move  @param {Table} table */
export function zonesOf(schema, move, table) {
	return (schema["x-zone"] ?? []).map(name => {
		const filled = name.replace(/\{(\w+)\}/g, (_, field) => move[field]);
		return `${filled}.${table.seat}` in table.zones ? `${filled}.${table.seat}` : filled;
	});
}

const LARGE = 6; // cards in a pile

/** The zones whose cards can be chosen; large piles only if the chosen type of move uses them.
 * @param {Choice} choice  @param {Table} table */
export function choosable(choice, table) {
	const found = new Set();
	for (const move of table.moves) {
		for (const [, schema, kind] of fieldsIn(move, table)) {
			if (!isPicked(kind)) continue;
			for (const zone of zonesOf(schema, move, table)) {
				const isLarge = kind !== "place" && !zone.endsWith(`.${table.seat}`) && cardsOf(table.zones[zone]).length > LARGE;
				if (!isLarge || choice.type === move.type) found.add(zone);
			}
		}
	}
	return found;
}

/** @param {Cards | {count: number} | undefined} held */
export const cardsOf = held => (Array.isArray(held) ? held : Array(held?.count ?? 0).fill(null));

/** Whether a field of this kind takes tapped cards. @param {Kind} kind */
const isPicked = kind => ["card", "cards", "place"].includes(kind);

/** Whether moves of a kind take cards. @param {string} type  @param {Table} table */
export const takesCards = (type, {specs}) => fieldsOf(specs[type]).some(([, , kind]) => isPicked(kind));

function absorbs(move, picks, table) {
	const slots = fieldsIn(move, table).flatMap(([name, schema, kind]) => {
		if (!isPicked(kind)) return [];
		const zones = zonesOf(schema, move, table);
		return [move[name] ?? []].flat().map(value =>
			(kind === "place" ? {name, zones, index: value - (schema["x-base"] ?? 0)} : {name, zones, card: value}));
	});
	const count = slots.length;
	for (const pick of picks) {
		const at = slots.findIndex(({zones, index, card}) =>
			zones.includes(pick.zone) && (index === undefined ? card === pick.card : index === pick.index));
		if (at < 0) return null;
		slots.splice(at, 1);
	}
	return {count, left: slots};
}

function holds(move, [name, value]) {
	return value === false ? !move[name] : move[name] === value || isFree(move, name);
}

/** @param {Move} move  @param {string} name */
const isFree = (move, name) => move[name] === "..."; // stands for any text

function fits(move, choice, table) {
	if (choice.type && move.type !== choice.type) return null;
	if (!Object.entries(choice.values).every(chosen => holds(move, chosen))) return null;
	return absorbs(move, choice.picks, table);
}

/** The moves that are still possible: [move, cards still to pick].
 * @param {Choice} choice  @param {Table} table */
function open(choice, table) {
	return table.moves.flatMap(move => {
		const found = fits(move, choice, table);
		return found ? [{move, left: found.left}] : [];
	});
}

/** @param {Choice} choice  @param {Table} table */
function mayBeUnlisted(choice, table) {
	return !table.complete && freeTypes(choice, table).length > 0;
}

/** @param {Choice} choice  @param {Table} table */
function freeTypes(choice, table) {
	const listed = [...new Set(table.moves.map(move => move.type))];
	return listed.filter(type => (!choice.type || type === choice.type) && choice.picks.length
		&& distribute(type, choice, table));
}

/** The move that a choice describes; null if its picks do not fit.
 * @param {string} type  @param {Choice} choice  @param {Table} table */
function distribute(type, choice, table) {
	/** @type {Move} */
	const move = {type};
	const fields = fieldsOf(table.specs[type]);
	for (const [name, value] of Object.entries(choice.values)) {
		if (!fields.some(([field]) => field === name)) return null;
		if (value !== false && value !== "") move[name] = value;
	}
	for (const pick of choice.picks) {
		const field = fields.find(([name, schema, kind]) => zonesOf(schema, move, table).includes(pick.zone)
			&& (kind === "cards" || ((kind === "card" || kind === "place") && !(name in move))));
		if (!field) return null;
		const [name, schema, kind] = field;
		if (kind === "cards") (move[name] ??= []).push(pick.card);
		else move[name] = kind === "place" ? pick.index + (schema["x-base"] ?? 0) : pick.card;
	}
	return move;
}

/** A move with a card that no listed move fits, to ask why it is refused; null if no move takes a card from there.
 * @param {Choice} choice  @param {Pick} pick  @param {Table} table */
export function attempt(choice, pick, table) {
	const picks = [...choice.picks.filter(({zone}) => zone === pick.zone), pick];
	const listed = table.moves.map(({type}) => type);
	const types = [...new Set([choice.type ?? "", ...listed, ...Object.keys(table.specs)])].filter(type => type in table.specs);
	for (const {picks: tried, values} of [{picks, values: choice.values}, {picks: [pick], values: {}}]) {
		for (const type of types) {
			const move = distribute(type, {type, picks: tried, values}, table);
			if (!move) continue;
			for (const [name, schema] of fieldsOf(table.specs[type])) {
				const usual = schema.enum?.[0] ?? schema.minimum;
				if (!(name in move) && table.specs[type].required?.includes(name) && usual !== undefined) move[name] = usual;
			}
			if (isWhole(move, table)) return move;
		}
	}
	return null;
}

/** @param {Move} move  @param {Table} table */
const isWhole = (move, table) => (table.specs[move.type].required ?? []).every(name => name in move);

/** The choice after a tap on a card; null if the tap has no meaning. */
export function tap(choice, pick, table) {
	const same = ({zone, index}) => zone === pick.zone && index === pick.index;
	const group = choice.picks.length ? [] : groupOf(pick, choice, table);
	if (group.length > 1) return {...choice, picks: group};
	if (choice.picks.some(same)) return {...choice, picks: choice.picks.filter(other => !same(other))};
	const added = {...choice, picks: [...choice.picks, pick]};
	if (isPossible(added, table)) return added;
	const others = choice.picks.filter(({zone}) => zone !== pick.zone);
	const instead = {...choice, picks: [...others, pick]};
	if (isPossible(instead, table)) return instead;
	const alone = {type: choice.type, picks: [pick], values: {}};
	return isPossible(alone, table) ? alone : null;
}

/** The kinds of listed moves without cards, where there are others as well. @param {Table} table */
export function callsIn(table) {
	const kinds = [...new Set(table.moves.map(({type}) => type))].filter(type => !isTalk(table.specs[type]));
	return kinds.length > 1 ? kinds.filter(type => !takesCards(type, table)) : [];
}

/** The listed moves with a set of cards, and its cards. @param {Table} table  @returns {{move: Move, cards: string[]}[]} */
export const setsIn = table => table.moves.flatMap(move => {
	const [name = ""] = fieldsIn(move, table).find(([, , kind]) => kind === "cards") ?? [];
	return name in move ? [{move, cards: move[name]}] : [];
});

/** The cards that the first tap on a card selects: the most of its rank that a listed move plays.
 * @param {Pick} pick  @param {Choice} choice  @param {Table} table */
function groupOf(pick, choice, table) {
	const ranks = table.ranks ?? {};
	const sets = setsIn(table).filter(({move}) => !choice.type || move.type === choice.type);
	const isPure = ({cards}) => cards.every(one => ranks[one] === ranks[cards[0]]);
	if (!sets.every(isPure) && !sets.some(({cards}) => cards.length === 1)) return [];
	const [group] = sets.filter(set => isPure(set) && set.cards.includes(pick.card ?? ""))
		.sort((one, other) => other.cards.length - one.cards.length);
	const {picks} = group ? choiceOf(group.move, table) : NOTHING;
	if (!picks.every(({zone}) => zone === pick.zone)) return [];
	const twin = picks.some(({index}) => index === pick.index) ? null : picks.find(({card}) => card === pick.card);
	return picks.map(one => (one === twin ? pick : one));
}

/** @param {Choice} choice  @param {Table} table */
function isPossible(choice, table) {
	return table.moves.some(move => fits(move, choice, table)) || mayBeUnlisted(choice, table);
}

/** The choice with a field set, or unset if it was.
 * @param {Choice} choice  @param {Record<string, any>} values  @param {Table} table */
export function set(choice, values, table) {
	const unset = Object.entries(values).every(([name, value]) => choice.values[name] === value);
	const kept = {...choice.values};
	for (const name of Object.keys(values)) delete kept[name];
	const next = unset ? {...choice, values: kept} : {...choice, values: {...kept, ...values}};
	if (unset || isPossible(next, table)) return next;
	const bare = {...next, values};
	return isPossible(bare, table) ? bare : {type: choice.type, picks: [], values};
}

/** @param {Choice} choice  @param {string} type  @param {Table} table */
export function setType(choice, type, table) {
	if (choice.type === type) return {...choice, type: null, values: {}};
	const next = {...choice, type, values: {}};
	return isPossible(next, table) ? next : {type, picks: [], values: {}};
}

/** The choice as far as the table still has it: itself if nothing is lost, so that what was asked about it still holds.
 * @param {Choice} choice  @param {Table} table */
export function keep(choice, table) {
	let kept = NOTHING;
	if (choice.type && table.moves.some(({type}) => type === choice.type)) kept = {...kept, type: choice.type};
	const used = new Set();
	for (const {zone, index: was, card} of choice.picks) {
		const cards = cardsOf(table.zones[zone]);
		const isHere = i => cards[i] === card && !used.has(`${zone} ${i}`);
		const index = isHere(was) ? was : cards.findIndex((_, i) => isHere(i));
		const next = index < 0 ? null : {...kept, picks: [...kept.picks, {zone, index, card}]};
		if (next && isPossible(next, table)) {
			used.add(`${zone} ${index}`);
			kept = next;
		}
	}
	const whole = {...kept, values: choice.values};
	const found = isPossible(whole, table) ? whole : kept;
	return JSON.stringify(found) === JSON.stringify(choice) ? choice : found;
}

/** @param {Choice} choice  @param {Table} table */
export function options(choice, table) {
	const left = open(choice, table);
	const listed = left.filter(({move, left: slots}) => slots.every(({name}) => name in choice.values)
		&& (choice.type === move.type || !lacksText(spelled(move, choice)))).map(({move}) => spelled(move, choice));
	const spelt = freeTypes(choice, table).flatMap(type => distribute(type, choice, table) ?? [])
		.filter(move => isWhole(move, table));
	const inOrder = listed.filter(move => spelt.some(mine => same(mine, move)));
	const unlisted = mayBeUnlisted(choice, table) && !inOrder.length && spelt.length ? spelt[0] : null;
	const exact = inOrder.length ? inOrder : unlisted ? [] : listed;
	const isEmpty = !choice.type && !choice.picks.length && !Object.keys(choice.values).length;
	const only = !exact.length && left.length === 1 && !unlisted ? [left[0].move] : [];
	const chosen = exact.length ? exact : only;
	const asked = exact.length ? exact : left.map(({move}) => move);
	const kinds = types(choice, table);
	const isUnclear = // values say nothing before it is chosen what they are for
		isEmpty && kinds.filter(({type, move}) => !move && !isTalk(table.specs[type])).length > 1 && asked.length > 1;
	const fields = isUnclear ? [] : panels(choice, asked, table);
	return {
		types: kinds,
		fields,
		confirm: settled(isUnclear ? [] : chosen, fields).filter(move => !lacksText(move) && fieldsIn(move, table).length),
		dry: unlisted,
		targets: targets(choice, left, table),
		isEmpty,
	};
}

export const MANY = 16; // with more values, the middle one is proposed

/** The moves that can be sent; an untouched switch is off, and what need not be chosen is left out.
 * @param {Move[]} moves  @param {any[]} fields */
function settled(moves, fields) {
	let found = moves;
	for (const {name, kind, values, value, isOptional} of fields) {
		if (kind === "text" || value !== null) continue;
		if (isOptional) found = found.filter(move => move[name] === undefined);
		else if (kind === "flag") found = found.filter(move => !move[name]);
		else if (values.length > MANY) found = found.filter(move => move[name] === middle(values));
		else return [];
	}
	return found;
}

/** @param {Record<string, any>} values */
export const middle = values => values[Math.floor(values.length / 2)];

const lacksText = move => Object.values(move).includes("...");

/** @param {Move} move  @param {Choice} choice */
function spelled(move, choice) {
	const typed = Object.keys(move).filter(name => isFree(move, name) && choice.values[name]);
	return typed.length ? {...move, ...Object.fromEntries(typed.map(name => [name, choice.values[name]]))} : move;
}

/** @param {any} mine  @param {any} listed */
function same(mine, listed) {
	return Object.entries(mine).every(([name, value]) => JSON.stringify(listed[name]) === JSON.stringify(value));
}

/** @param {Choice} choice  @param {Table} table */
function types(choice, table) {
	const listed = [...new Set(table.moves.map(({type}) => type))];
	return listed.map(type => {
		const isDirect = fieldsOf(table.specs[type]).length === 0;
		const isOpen = table.moves.some(move => move.type === type && (isDirect || fits(move, {...choice, type}, table)));
		return {type, move: isDirect ? {type} : null, isChosen: choice.type === type, isOpen};
	});
}

/** @param {Choice} choice  @param {Move[]} moves  @param {Table} table */
function panels(choice, moves, table) {
	const kinds = new Set(moves.filter(({type}) => fieldsOf(table.specs[type]).length).map(({type}) => type));
	if (kinds.size !== 1) return [];
	const [type] = kinds;
	const candidates = table.moves.filter(move => move.type === type);
	return fieldsOf(table.specs[type]).flatMap(/** @returns {Asked[]} */ ([name, schema, kind]) => {
		if (kind === "card" || kind === "cards" || kind === "zone") return [];
		if (kind === "text") return [{name, kind, schema, value: choice.values[name] ?? ""}];
		const without = {...choice, values: {...choice.values}};
		delete without.values[name];
		const pool = name in choice.values ? candidates.filter(move => {
			const found = fits(move, without, table);
			return found && (kind !== "flag" || found.left.length === 0);
		}) : moves.filter(move => move.type === type);
		const values = [...new Set(pool.map(move => move[name]))];
		if (kind === "flag") {
			const differ = new Set(pool.map(move => Boolean(move[name]))).size > 1;
			return differ ? [{name, kind, schema, value: choice.values[name] ?? null}] : [];
		}
		const given = values.filter(value => value !== undefined);
		const byTap = kind === "place" && given.length > 0 && moves.every(move =>
			zonesOf(schema, move, table).every(zone => zone in table.zones));
		if (byTap || (given.length < 2 && !(name in choice.values))) return [];
		return [{name, kind, schema, values: given, value: choice.values[name] ?? null, isOptional: given.length < values.length}];
	});
}

/** The fields in the name of a zone.
 * @param {string} zone */
export const named = zone => [...zone.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);

/** Zones that can be chosen as a whole: name → the fields to set. */
function targets(choice, left, table) {
	const found = new Map();
	for (const {move} of left) {
		for (const [name, schema, kind] of fieldsIn(move, table)) {
			if (kind !== "zone") continue;
			const fields = [name, ...(schema["x-zone"] ?? []).flatMap(named)];
			const values = Object.fromEntries([...new Set(fields)].map(field => [field, move[field]]));
			const isSet = Object.entries(values).every(([field, value]) => choice.values[field] === value);
			for (const zone of zonesOf(schema, move, table)) found.set(zone, {values, isChosen: isSet || choice.picks.some(pick => pick.zone === zone)});
		}
	}
	return found;
}

export function choiceOf(move, table) {
	/** @type {Pick[]} */
	const picks = [];
	/** @type {Record<string, any>} */
	const values = {};
	for (const [name, schema, kind] of fieldsIn(move, table)) {
		if (!(name in move)) continue;
		const zones = zonesOf(schema, move, table);
		if (kind === "place" && zones.some(zone => zone in table.zones)) {
			const index = move[name] - (schema["x-base"] ?? 0);
			const zone = zones.find(each => each in table.zones) ?? "";
			picks.push({zone, index, card: table.zones[zone][index] ?? null});
		} else if (kind === "card" || kind === "cards") {
			for (const card of [move[name]].flat()) picks.push(find(card, zones, picks, table));
		} else values[name] = move[name];
	}
	return {type: move.type, picks, values};
}

/** @param {string[]} zones  @param {readonly Pick[]} picks  @param {Table} table */
function find(card, zones, picks, table) {
	for (const zone of zones) {
		const cards = Array.isArray(table.zones[zone]) ? table.zones[zone] : [];
		const index = cards.findIndex((other, i) => other === card
			&& !picks.some(pick => pick.zone === zone && pick.index === i));
		if (index >= 0) return {zone, index, card};
	}
	return {zone: zones[0], index: -1, card};
}
