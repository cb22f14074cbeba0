// @ts-check
// What a game looks like at one version, for any ruleset. Sentences are lists of parts: text, {name}, {said}, {cards}.

import {choiceOf, fieldsOf, isTalk, named as inName, setsIn, takesCards, zonesOf as zonesFor} from "./compose.js";
import {english, inGame, list, pieces, place, sentenceOf, SUITS, t, words, zoneName} from "../texts.js";

/** @import {Cards, Entry, Field, Game, Kind, Move, Part, Ruleset, Table} from "../types.d.ts" */

export function nameOf(game, seat) {
	if (seat === null) return t("The organiser");
	const taken = game.seats[seat];
	if (taken?.player) return taken.player.name;
	if (taken?.name) return taken.name; // from another service, in an imported game
	if (taken?.bot && taken.previous) return t("Bot {seat} for {name}", {seat, name: taken.previous.name});
	return taken?.bot ? t("Bot {seat}", {seat}) : taken?.open ? t("Free seat") : t("Player {number}", {number: seat + 1});
}

/** @param {Game} game */
export function around(game) {
	const near = game.viewer?.seats?.[0] ?? 0;
	return game.seats.map((_, step) => (near + step) % game.seats.length);
}

/** @param {Game} game */
export const isOver = game => !["open", "running"].includes(game.status);

const SPREAD = 13; // an ordered zone of more cards is a pile
export const HEAP = 5; // cards of a heap that are visible: an open row of cats and dogs has as many, and its first card counts
const LAID_OUT = 6; // an unordered one of more cards is a pile

/** The zones of a view: `{name, label, seat, cards, count, kind}`, where `cards` has null for hidden ones.
 * kind: hand (the viewer's), trick, spread, heap, pile, hidden, or count (another player's hand).
 * @param {Game} game  @param {Ruleset} ruleset */
export function zonesOf(game, ruleset) {
	const mine = game.viewer?.seats ?? [];
	const placed = new Set(Object.values(ruleset.moves).flatMap(({properties}) => Object.values(properties))
		.flatMap(field => (field["x-role"] === "position" ? field["x-zone"] ?? [] : []))); // where every place matters
	return Object.entries(game.view?.zones ?? {}).map(([name, held]) => {
		const [base, seat] = place(name);
		const declared = ruleset.zones.find(zone => zone.name === base) ?? {ordered: true, seen_by: "everyone"};
		const cards = Array.isArray(held) ? held : Array(held.count).fill(null);
		const zone = {name, base, label: zoneName(base), seat, cards, count: cards.length, ordered: declared.ordered};
		return {...zone, kind: kindOf(zone, declared, mine, placed)};
	});
}

function kindOf({base, seat, cards}, declared, mine, placed) {
	const isOwner = declared.seen_by === "owner";
	if (isOwner && base === "hand" && mine.includes(seat)) return "hand";
	const known = cards.some(card => card !== null);
	if (!known) return isOwner && seat !== null && base === "hand" ? "count" : "hidden";
	if (base === "trick" || base === "table") return "trick";
	if (declared.ordered && seat === null && !placed.has(base)) return cards.length > HEAP ? "heap" : "spread";
	if (declared.ordered) return cards.length > SPREAD ? "pile" : "spread";
	return cards.length > LAID_OUT && base !== "hand" ? "pile" : "spread";
}

/** The seat that laid each card of a zone, or null if unknown.
 * @param {string} zone  @param {Cards} cards  @param {Entry[]} entries */
export function laidBy(zone, cards, entries) {
	const owners = Array(cards.length).fill(null);
	let left = cards.length;
	for (let i = entries.length - 1; i >= 0 && left > 0; i--) {
		const {transfers = [], seat, type} = entries[i];
		if (/taken_back|_undone/.test(type)) return owners;
		for (const {from, to, cards: moved} of [...transfers].reverse()) {
			if (from === zone && to !== zone) return owners;
			if (to !== zone || from === zone) continue;
			for (const card of [...moved].reverse()) {
				const at = owners.findLastIndex((owner, k) => owner === null && (cards[k] === card || card === null));
				if (at >= 0) {
					owners[at] = place(from ?? "")[1] ?? (from === null ? null : seat ?? null);
					left -= 1;
				}
			}
		}
	}
	return owners;
}

/** The trick that an entry completed and took away: `{zone, cards, by, won}`, or null.
 * @param {Entry | undefined} entry  @param {Entry[]} earlier */
export function completedTrick(entry, earlier) {
	const moves = entry?.transfers ?? [];
	const last = moves.find(({from, to}, n) => to && place(from ?? "")[1] === entry?.seat && place(to)[1] === null
		&& moves.slice(n + 1).some(other => other.from === to && other.to !== to));
	if (!last) return null;
	const zone = /** @type {string} */ (last.to);
	const left = moves.filter(({from, to}) => from === zone && to !== zone).flatMap(({cards}) => cards);
	const before = laidBy(zone, left, [...earlier, {.../** @type {Entry} */ (entry), transfers: [last]}]);
	const order = left.map((card, i) => [card, before[i]]);
	if (left.length < 2 || order.some(([card]) => card === null)) return null;
	return {zone, cards: order.map(([card]) => card), by: order.map(([, seat]) => seat), won: entry?.won_by ?? null};
}

const VERBS = 4; // more would not fit the title
const FEW = 2; // of these, each is told in full

/** @param {Game} game  @param {Ruleset} ruleset */
export function title(game, legal, ruleset) {
	if (game.result) return result(game.result, game, ruleset.reasons, game.viewer.seats[0]);
	if (game.status === "cancelled") return [t("The game has been called off.")];
	if (game.paused) return [t("The game is paused.")];
	if (game.status === "open") {
		const free = game.seats.filter(({open}) => open).length;
		const {seats_to_reveal = []} = game.dealing ?? {};
		if (seats_to_reveal.length) return pieces("Waiting for {players} to reveal a secret for the deal.", {players: names(game, seats_to_reveal)});
		if (!free) return [t("Waiting for the deal.")];
		return [t("Waiting for players: {n} of {seats} are here.", {n: game.seats.length - free, seats: game.seats.length})];
	}
	if (!game.to_act.length) return [t("The game is over.")];
	const [mine] = game.viewer?.seats ?? [];
	const waiting = game.to_act.filter(seat => seat !== mine);
	const possible = legal ? verbs(legal.moves, ruleset) : [];
	const doing = possible.length <= VERBS ? list(possible, t("or")) : "";
	if (mine !== undefined && game.to_act.includes(mine)) return [`${t("Your turn")}${doing ? `: ${doing}` : ""}`];
	const others = waiting.length > 2 ? [t("Waiting for {n} players", {n: waiting.length})]
		: pieces("Waiting for {players}", {players: names(game, waiting)});
	return doing && mine !== undefined ? [...others, " · ", t("you may: {moves}", {moves: doing})] : others;
}

/** The text for a viewer who has nothing to do.
 * @param {Game} game  @param {number | undefined} seat */
export function idle(game, seat, hasSecret) {
	if (seat === undefined) return t("You are watching.");
	if (isOver(game)) return t("The game is over.");
	if (game.paused) return t("Any player may end the pause in the menu.");
	if (game.to_act.includes(seat)) return "…"; // legal moves are being loaded
	if (game.status === "open") return beginning(game, seat, hasSecret);
	return game.to_act.length > 1 ? t("Done. Waiting for {n} players.", {n: game.to_act.length}) : t("It is not your turn.");
}

function beginning({dealing, seats}, seat, hasSecret) {
	if (dealing?.entropy !== "commit") return t("The game starts when every seat is taken.");
	if (seats.some(({open}) => open)) return t("Keep this page open: it reveals your secret when all seats are taken.");
	if (!dealing.seats_to_reveal.includes(seat)) return t("Your secret is revealed. If others are late, the game is called off.");
	return hasSecret ? t("Revealing your secret …") : t("This browser does not know your secret: reveal it where you joined.");
}

/** "play a card", "call": the kinds of legal moves, except talk.
 * @param {Move[]} moves  @param {Ruleset} ruleset */
function verbs(moves, ruleset) {
	const types = [...new Set(moves.map(({type}) => type))].filter(type => !isTalk(ruleset.moves[type]));
	if (types.length > FEW) return types.map(words); // "lay, buy, search or discard"
	return types.map(type => {
		const own = sentenceOf("may", type) || sentenceOf("move", type);
		if (own && !own.includes("{")) return own;
		const fields = Object.entries(ruleset.moves[type].properties).filter(([, schema]) => schema["x-zone"]);
		const isMany = fields.some(([, schema]) => schema.type === "array");
		const one = fields.some(([, schema]) => schema.type === "string");
		return isMany ? t("{play} cards", {play: words(type)}) : one ? t("{play} a card", {play: words(type)}) : words(type);
	});
}

const ORDINALS = [t("first"), t("second"), t("third"), t("fourth"), t("fifth"), t("sixth")];

/** A move as one says it, "play the ace of hearts and announce your last card", or with "did" as one tells of it, "plays …". A
 * ruleset may have a sentence of its own for a kind of move, and words for what a field adds; see `sentenceOf`.
 * @param {Move} move  @param {Table} table  @param {any} say  how cards, suits, seats and so on are put into words  @param {"move" | "did"} how  @returns {Part[]} */
export function phrase(move, table, say, how = "move") {
	const {type, ...rest} = move;
	const fields = fieldsOf(table.specs[type]).filter(([name]) => name in rest);
	const zoned = new Set(fields.filter(([, , kind]) => kind === "zone").flatMap(([, schema]) => inName(schema["x-zone"]?.[0] ?? "")));
	const said = fields.filter(([name, , kind]) => (kind === "zone" || !zoned.has(name)) && rest[name] !== false);
	const values = Object.fromEntries(said.map(([name, schema, kind]) => [name, inWords(rest[name], schema, kind)]));
	const own = sentenceOf(how, type);
	const [[first] = [""]] = said;
	const more = said.filter(([name]) => (own ? !own.includes(`{${name}}`) : name !== first));
	const added = more.map(([name]) => (sentenceOf(how, type, name) ? pieces(sentenceOf(how, type, name), values) : [words(name), ...(values[name] ? [" ", values[name]] : [])]));
	const plain = what => say.plain?.(type, what) ?? (what ? pieces("{verb} {what}", {verb: words(type), what}) : [words(type)]);
	return [own ? pieces(own, values) : plain(values[first]), ...added]
		.flatMap((part, i, all) => [i === 0 ? "" : i < all.length - 1 ? ", " : ` ${t("and")} `, ...part.flat()]).filter(Boolean);

	/** @param {any} value  @param {Field} schema  @param {Kind} kind */
	function inWords(value, schema, kind) {
		const [zone] = zonesFor(schema, move, table);
		if (kind === "card" || kind === "cards") return say.cards([value].flat());
		if (kind === "zone") return say.zone(zone);
		if (kind === "seat") return say.seat(value);
		if (kind === "text") return say.text(value);
		if (kind === "flag") return "";
		if (kind !== "place") return schema["x-role"] === "suit" ? say.suit(value) : String(value);
		if (say.moved) return say.moved(zone);
		const at = value - (schema["x-base"] ?? 0);
		const card = table.zones[zone]?.[at];
		return card ? say.card(card) : ORDINALS[at] ?? String(at + 1);
	}
}

/** A move in words: a text.
 * @param {Move} move  @param {Table} table  @param {any} say */
export const describe = (move, table, say) => phrase(move, table, say).join("").trim();

/** Whether a card is of a rank that no listed set has, or lies where none takes cards, where all sets are of one rank each; all
 * cards are unfit where one plays cards but cannot now.
 * @param {Table | null} table  @returns {(card: string | null, zone: string) => boolean} */
export function unfit(table) {
	if (table?.kinds?.some(type => takesCards(type, table)) && !table.moves.some(({type}) => takesCards(type, table))) return () => true;
	const sets = table && !table.complete ? setsIn(table) : [];
	const ranks = sets.map(({cards}) => new Set(cards.map(card => table?.ranks?.[card])));
	if (!sets.length || ranks.some(({size}) => size !== 1)) return () => false;
	const zones = new Set(sets.flatMap(({move}) => choiceOf(move, /** @type {Table} */ (table)).picks.map(({zone}) => zone)));
	return (card, zone) => !zones.has(zone) || !ranks.some(of => of.has(table?.ranks?.[card ?? ""]));
}

function names(game, seats, mine = -1) {
	const inOrder = [...seats.filter(seat => seat === mine), ...seats.filter(seat => seat !== mine)];
	return inOrder.flatMap((seat, i) => [i === 0 ? "" : i === seats.length - 1 ? ` ${t("and")} ` : ", ", {name: seat === mine ? t("You") : nameOf(game, seat)}]);
}

const GIVEN_UP = {
	resigned: t("by resignation"), timed_out: t("out of time"), dropped: t("after missed turns"), drawn: t("in an agreed draw"),
	adjudicated: t("by the director’s decision"),
};

/** How a game ended; for a seat of it in the second person, and what it did itself first. */
export function result(result, game, reasons = {}, mine = -1) {
	const {winners = [], losers = [], reason} = result;
	const [won, lost] = [winners, losers].map(seats => ({players: names(game, seats, mine)}));
	const isMine = seats => seats.length === 1 && seats[0] === mine;
	const win = isMine(winners) ? [t("You win")] : winners.length === 1 ? pieces("{players} wins", won) : pieces("{players} win", won);
	const lose = isMine(losers) ? [t("You lose")] : losers.length === 1 ? pieces("{players} loses", lost) : pieces("{players} lose", lost);
	const said = [...winners.length ? [win] : [], ...losers.length && losers.length <= 3 ? [lose] : []];
	if (losers.includes(mine)) said.reverse();
	const parts = said.flatMap((part, i) => [...i ? ["; "] : [], ...part]);
	if (!parts.length) parts.push(t("Nobody wins"));
	return [...parts, reason ? `: ${GIVEN_UP[reason] ?? inGame(reasons[reason] ?? english(reason))}.` : "."];
}

/** Whether a badge says something: a seat without words is shown at the seat, and a list that always has all teams is no news.
 * @param {any} value  @param {import("../types.d.ts").Field} schema  @param {number} [teams] */
function isWorthSaying(value, {"x-role": role, "x-words": said, minItems}, teams) {
	if (role === "counter" || value === null || value === false || (value === 0 && !role)) return false; // a seat or team may be 0
	if (!Array.isArray(value)) return role !== "seat" || Boolean(said);
	return value.some(each => each !== null) && !(role === "team" && minItems === teams);
}

export const LISTED = 2; // the rank of badges that are lists

/** What the badges say: first whose call waits for an answer, last the lists.
 * @param {Game} game  @param {Ruleset} ruleset */
export function chips(game, ruleset) {
	const found = [];
	for (const [name, value] of Object.entries(game.view?.facts ?? {})) {
		const [, seat, own] = /^private\.(\d+)\.(.+)$/.exec(name) ?? [];
		const schema = ruleset.facts[own ?? name] ?? {};
		const {"x-role": role, "x-words": said} = schema;
		if (!isWorthSaying(value, schema, sidesOf(game, ruleset)?.length)) continue;
		if (seat !== undefined && !(game.viewer?.seats ?? []).includes(Number(seat))) continue;
		found.push({name: own ?? name, rank: Array.isArray(value) ? LISTED : role === "seat" ? 0 : 1, ...(said ? {label: "", parts: wording(said, value, {role, game, ruleset})}
			: {label: words(own ?? name), parts: value === true ? [] : parts(value, {role, game, ruleset})})});
	}
	return found.sort((one, other) => one.rank - other.rank);
}

/** A fact in the ruleset's words: a text with {} for the value or {member} for a part of it, or texts by value.
 * @param {any} said  @param {any} value  @param {any} about */
function wording(said, value, about) {
	/** @type {Record<string, string>} */
	const byValue = Object.fromEntries(Object.entries(typeof said === "string" ? {"": said} : said).map(([key, text]) => [key, inGame(text)]));
	if (!Array.isArray(value) && String(value) in byValue) return [byValue[String(value)]];
	const inside = {...about, byValue};
	return (byValue[""] ?? "{}").split(/\{(\w*)\}/).flatMap((piece, i) => {
		if (i % 2 === 0) return piece ? [piece] : [];
		return piece === "seat" ? [{name: nameOf(about.game, value.seat)}] : piece ? [words(value[piece])] : parts(value, inside);
	});
}

/** @param {any} value  @param {any} about */
function parts(value, about) {
	const {role, game, byValue = {}} = about;
	if (String(value) in byValue) return [byValue[String(value)]];
	if (value === null) return ["–"];
	if (Array.isArray(value)) {
		if (value.length === game.seats.length && role !== "seat" && role !== "team") {
			return value.flatMap((each, seat) => (each === null ? [] : [", ", {name: nameOf(game, seat)}, " ", ...parts(each, about)])).slice(1);
		}
		return value.flatMap((each, i) => [i ? ", " : "", ...parts(each, about)]);
	}
	if (typeof value === "object") {
		return Object.entries(value).flatMap(([key, each], i) => [i ? ", " : "",
			...(key === "seat" ? [{name: nameOf(game, each)}] : [`${key === "kind" ? "" : `${words(key)} `}${words(each)}`])]);
	}
	if (role === "seat") return [{name: nameOf(game, value)}];
	if (role === "team") return teamName(value, about);
	if (role === "suit") return [{suit: value}];
	return [typeof value === "string" ? {cards: [value]} : String(value)];
}

/** @param {Game} game  @param {number} seat  @param {Ruleset} ruleset */
export function badges(game, seat, ruleset) {
	const found = [];
	for (const [name, value] of Object.entries(game.view?.facts ?? {})) {
		if (game.view?.result || ruleset.facts[name]?.["x-role"] !== "seat" || value !== seat || name === "turn") continue;
		found.push(words(name));
	}
	const sides = sidesOf(game, ruleset) ?? [];
	const own = game.viewer?.seats?.[0];
	const team = sides.findIndex(side => side.includes(seat));
	const isOwn = team >= 0 && sides[team].includes(own);
	if (team < 0 || (own !== undefined && sides.length === 2 && !(isOwn && seat !== own))) return found;
	return [isOwn && seat !== own ? t("your team") : t("team {team}", {team: team + 1}), ...found];
}

/** "your team", "Anna’s team" */
function teamName(team, {game, ruleset}) {
	const side = sidesOf(game, ruleset)?.[team];
	if (!side) return [t("team {team}", {team: team + 1})];
	return side.includes(game.viewer?.seats?.[0]) ? [t("your team")] : pieces("{name}’s team", {name: {name: nameOf(game, side[0])}});
}

/** @param {Game} game  @param {Ruleset} ruleset */
export function sidesOf(game, ruleset) {
	return ruleset.teams.find(({seats, options}) => seats === game.seats.length
		&& Object.entries(options).every(([name, value]) => game.options[name] === value))?.teams;
}

export const suitText = suit => SUITS[suit] ?? String(suit);

// What an entry shows of people until it is erased: a text in somebody's own words. Names stand beside the log.

/** The text of an entry, "…" if it was erased; nothing if nobody has said anything.
 * @param {Entry} entry  @returns {string | undefined} */
export function textOf({seals, private: shares, move}) {
	const said = shares?.all;
	if (!seals?.all) return move?.text;
	return said ? said.text ?? said.move?.text : "…";
}

/** A player whom an entry names by the id alone, with the name.
 * @param {{id: string} | null} player  @param {Game} game*/
export function named(player, {seats}) {
	return player && (seats.flatMap(seat => [seat.player, seat.previous]).find(one => one?.id === player.id) ?? {...player, name: t("Somebody")});
}
