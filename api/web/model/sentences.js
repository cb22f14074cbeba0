// @ts-check
// The log in sentences, for any ruleset: lists of parts, as in `model.js`.

import {ENTRY_WORDS, HANDED_OVER} from "./entry_words.js";
import {nameOf, named, phrase, result, textOf} from "./model.js";
import {capital, english, inGame, pieces, place, t, words, zoneName} from "../texts.js";

/** @import {Cards, Entry, Game, Part, Ruleset} from "../types.d.ts" */

const SAID = 100; // letters in a bubble

/** A game with who sat there at an entry, as far as that entry and those around it tell: a seat may have changed hands since.
 * @param {Entry} entry  @param {Game} game  @param {Map<number, Entry>} [entries]  @returns {Game} */
export function asThen(entry, game, entries = new Map()) {
	return {...game, seats: game.seats.map((now, seat) => {
		/** @type {{player?: Entry["player"], bot?: Entry["bot"]} | undefined} */
		const told = [entry, entry.nudge].find(one => one?.seat === seat) ?? actor(seat, entry.seq - 1, -1, entries) ?? actor(seat, entry.seq + 1, 1, entries);
		return told?.player === undefined ? now : {...now, player: named(told.player, game), bot: told.bot ?? null};
	})};
}

/** The nearest entry of a seat, from one on, earlier or later; before a seat is free or changes hands, its holder leaves.
 * @param {number} seat  @param {number} seq  @param {1 | -1} step  @param {Map<number, Entry>} entries */
function actor(seat, seq, step, entries) {
	let found = entries.get(seq);
	while (found && found.seat !== seat) found = entries.get(seq += step);
	return found;
}

/** @param {Entry} entry  @param {Game} newest  @param {number[] | null} [before]  @param {Partial<Ruleset>} [ruleset]  @param {Map<number, Entry>} [entries]  @returns {Part[][]} */
export function sentences(entry, newest, before = null, {reasons, name, moves = {}} = {}, entries = new Map()) {
	const game = asThen(entry, newest, entries);
	const who = entry.seat == null ? t("The organiser") : {name: nameOf(game, entry.seat)};
	switch (entry.type) {
		case "moved": return [[who, " ", ...move(entry, game, moves)], ...outcome(entry, game, before)];
		case "finished": return [result(entry.result ?? {}, game, reasons, game.viewer?.seats[0])];
		default: return [inWords(entry, game, who, name)];
	}
}

/** @param {Entry} entry  @param {Map<number, Entry>} entries */
export function scoresBefore(entry, entries) {
	if (!entry.scores) return null;
	let earlier = entries.get(entry.seq - 1);
	for (; earlier; earlier = entries.get(earlier.seq - 1)) {
		if (earlier.scores) return earlier.scores;
		if (earlier.type === "started") return null;
	}
	return null;
}

/** @param {Entry} entry  @param {Game} game */
function inWords(entry, game, who, name = words(entry.ruleset ?? game.ruleset)) {
	const sentence = (entry.replaced && HANDED_OVER[entry.type]) || ENTRY_WORDS[entry.type] || `${capital(words(entry.type))}.`;
	const whom = entry.replacement ?? entry;
	const newcomer = {name: named(whom.player ?? null, game)?.name ?? (whom.bot ? t("Bot {seat}", whom) : t("Player {number}", {number: (whom.seat ?? 0) + 1}))};
	const director = {app: t("The app"), operator: t("The operator")}[entry.by] ?? t("The app or the operator");
	const given = {who, newcomer, director, ruleset: name, text: {said: textOf(entry)}};
	return sentence.split(/\{([\w.]+)\}/).map((piece, i) => {
		if (i % 2 === 0) return piece;
		const value = piece.split(".").reduce((inside, name) => inside?.[name], /** @type {any} */ (entry));
		if (piece.endsWith(".seat")) return {name: nameOf(game, value)};
		if (/^\d{4}-\d\d-\d\dT/.test(value)) return {time: value};
		return given[piece] ?? (piece.endsWith(".name") ? {name: value} : String(value));
	});
}

/** What somebody says at the table with an entry: a message, a bid, a call; not what is done with cards. @param {Entry} entry  @returns {Part[]} */
export function spoken(entry) {
	const {type, move, transfers = []} = entry;
	const text = textOf(entry);
	if (text !== undefined) return [text.length > SAID ? `${[...text].slice(0, SAID).join("")}…` : text];
	if (type !== "moved" || !move) return [];
	const {type: kind, ...fields} = move;
	const called = "suit" in fields ? [{suit: fields.suit}] : [];
	const flags = Object.keys(fields).filter(name => fields[name] === true).map(words);
	const isSaid = !Object.keys(fields).length && transfers.some(({from}) => from === null); // and the next hand is dealt
	if (transfers.length && !isSaid) return flags.length ? [capital(flags.join(", "))] : called;
	const numbers = Object.values(fields).filter(value => typeof value === "number");
	return [capital(words(kind)), ...numbers.map(value => ` ${value}`), ...called.flatMap(each => [" ", each])];
}

/** @param {Entry} entry */
export function wholeMove(entry) {
	return Object.values(entry.private ?? {}).map(share => share.move).find(Boolean) ?? entry.move ?? {type: "moves"};
}

/** @param {Entry} entry  @param {Game} game  @param {Ruleset["moves"]} specs  @returns {Part[]} */
function move(entry, game, specs) {
	const made = wholeMove(entry);
	if ("text" in made) return pieces("says {text}", {text: {said: made.text}});
	const cards = cards => ({cards});
	const moved = zone => cards([transfers(entry).find(([from]) => from === zone || from === `${zone}.${entry.seat}`)?.[2][0] ?? null]); // from a place there
	const say = {cards, moved, plain, suit: suit => ({suit}), seat: seat => ({name: nameOf(game, seat)}), zone: zone => zoneWords(zone, game)};
	return [...phrase(made, /** @type {any} */ ({specs, seat: entry.seat, zones: {}}), say, "did"), "."];
}

/** What somebody does in a game that has no sentence for it. What is played stands in the verb, or behind it: "legt {} ab".
 * @param {string} type  @param {any} what */
function plain(type, what) {
	const [verb, after = ""] = thirdPerson(english(type)).split(/ ?\{\}/);
	return what ? [`${verb} `, what, after] : [verb + after];
}

/** "plays": the word of a game for what somebody does. @param {string} verb */
const thirdPerson = verb => inGame(verb.replace(/^(\w+)/, first =>
	(/[^aeiou]y$/.test(first) ? `${first.slice(0, -1)}ies` : /(s|x|z|ch|sh)$/.test(first) ? `${first}es` : `${first}s`)));

/** @param {Entry} entry  @param {Game} game  @param {any} before */
function outcome(entry, game, before) {
	const found = [];
	if (entry.won_by != null) found.push(pieces("Trick to {player}.", {player: {name: nameOf(game, entry.won_by)}}));
	if (entry.scores) {
		const gains = entry.scores.flatMap((score, seat) => {
			const gain = before ? score - before[seat] : null;
			return gain === 0 ? [] : [[{name: nameOf(game, seat)}, gain === null ? ` ${score}` : ` ${gain > 0 ? "+" : "−"}${Math.abs(gain)} (${score})`]];
		});
		const list = {points: gains.flatMap((gain, i) => [i ? ", " : "", ...gain])};
		found.push(before ? pieces("Scored: {points}.", list) : pieces("Scores: {points}.", list));
	}
	const dealt = (entry.transfers ?? []).filter(({from}) => from === null).length;
	if (dealt > 1) found.push([t("A new hand is dealt.")]);
	return found;
}

/** Where the cards of an entry went, as far as the viewer knows: [from, to, cards].
 * @param {Entry} entry  @returns {[string | null, string | null, Cards][]} */
export function transfers(entry) {
	const shares = Object.values(entry.private ?? {}).flatMap(share => (share.transfers ? [share.transfers] : []));
	const pairs = new Map();
	(entry.transfers ?? []).forEach(({from, to, cards}, n) => {
		const seen = cards.map((text, i) => shares.reduce((found, share) => found ?? share[n]?.cards[i] ?? null, text));
		const key = `${from} ${to}`;
		if (!pairs.has(key)) pairs.set(key, [from, to, []]);
		pairs.get(key)[2].push(...seen);
	});
	return [...pairs.values()];
}

/** @param {string | null} from  @param {Game} game  @returns {Part[]} */
export function zoneWords(from, game) {
	if (from === null) return [t("the pack")];
	const [base, seat] = place(from);
	const zone = zoneName(base);
	return seat === null ? [t("the {zone}", {zone})] : pieces("{name}’s {zone}", {name: {name: nameOf(game, seat)}, zone});
}
