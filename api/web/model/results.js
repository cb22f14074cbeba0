// @ts-check
// What a finished game came to: who won and why, the points of each hand, and the moments that mattered. Pure.

import {nameOf, result, sidesOf} from "./model.js";
import {capital, list, t} from "../texts.js";

/** @import {Catalogue, Entry, Game, Ruleset, Scoring} from "../types.d.ts" */

const KEY_MOMENTS = 3;

/** The scores each time they changed, `{seq, scores, isHand}`; a hand ends there where its cards are gathered.
 * @param {Entry[]} log */
export function scoringsOf(log) {
	return log.flatMap(({seq, scores, transfers = []}) =>
		(scores ? [{seq, scores, isHand: transfers.some(({from}) => from === null)}] : []));
}

/** The seats of each column of the table: partners share one where they always have the same score.
 * @param {Game} game  @param {Ruleset} ruleset  @param {Scoring[]} scorings */
export function columnsOf(game, ruleset, scorings) {
	const sides = sidesOf(game, ruleset) ?? [];
	const isShared = side => scorings.every(({scores}) => side.every(seat => scores[seat] === scores[side[0]]));
	return sides.length && sides.every(isShared) ? sides : game.seats.map((_, seat) => [seat]);
}

/** The columns, the one of a seat first. @param {number[][]} columns  @param {number} [mine] */
export const ownFirst = (columns, mine = -1) => [...columns].sort((one, other) => Number(other.includes(mine)) - Number(one.includes(mine)));

/** Whether a new hand begins with an entry: seats give their cards back, or are dealt new ones. A stock that is shuffled again is none.
 * @param {Entry} entry */
const isDeal = ({type, transfers = []}) => type === "moved" && transfers.some(({from, to}) => (from === null || to === null) && String(from ?? to).includes("."));

/** The number of the hand in which an entry is; also the hands count that brought nobody anything.
 * @param {Entry[]} log  @param {number} at */
export const handAt = (log, at) => 1 + log.filter(entry => entry.seq < at && isDeal(entry)).length;

/** What a hand brought that an entry ended, in words, with the points of the cards that each side took; "" if it ended none.
 * @param {Entry} entry  @param {Game | null} before  @param {Ruleset} ruleset  @param {Catalogue} catalogue  @param {Map<number, Entry>} entries */
export function handWords({seq, scores, transfers = [], won_by: winner, move}, before, ruleset, catalogue, entries) {
	const {view} = before ?? {};
	if (!scores || !before || !view || !transfers.some(({from}) => from === null)) return "";
	const gains = scores.map((score, seat) => score - view.scores[seat]);
	const [mine] = before.viewer.seats;
	const columns = ownFirst(columnsOf(before, ruleset, [{seq: 0, scores: gains, isHand: true}]), mine);
	const worth = held => (Array.isArray(held) ? held : []).reduce((sum, id) => sum + (catalogue.get(id ?? "")?.points ?? 0), 0);
	const last = worth(view.zones.trick) + worth([move?.card]);
	const points = columns.map(seats => {
		const who = !seats.includes(mine) ? list(columnName(before, seats)) : seats.length > 1 ? capital(t("your team")) : t("You");
		const cards = seats.reduce((sum, seat) => sum + worth(view.zones[`won.${seat}`]) + (seat === winner ? last : 0), 0);
		return `${who} ${signed(gains[seats[0]])}${cards ? ` (${t("{n} card points", {n: cards})})` : ""}`;
	}).join(", ");
	return entries.size >= seq ? t("Hand {number} is over: {points}", {number: handAt([...entries.values()], seq), points}) : t("The hand is over: {points}", {points});
}

/** What the game came to for a seat: "won", "lost", or "" where it neither won nor lost, or is not seated. */
export function standing({result: found}, seat) {
	if (!found || seat === undefined) return "";
	if (found.winners?.includes(seat)) return "won";
	const isOther = found.reason !== "adjudicated" && found.winners?.length;
	return found.losers?.includes(seat) || isOther ? "lost" : "";
}

/** The entries with the largest gains or losses of points, and one that must be among them, in the order of play: `{seq, seat, gain}`.
 * @param {Entry[]} log  @param {{seq: number, seat: number, gain: number} | null} [wanted] */
export function momentsOf(log, wanted = null) {
	const found = [];
	let before = null;
	for (const {seq, scores} of log) {
		if (!scores) continue;
		const gains = scores.map((score, seat) => ({seq, seat, gain: score - (before?.[seat] ?? 0)}));
		const largest = gains.reduce((most, one) => (Math.abs(one.gain) > Math.abs(most.gain) ? one : most));
		if (largest.gain) found.push(largest);
		before = scores;
	}
	if (found.every(({gain}) => gain === found[0].gain)) return []; // the points of the hands say it already
	const most = found.sort((one, other) => Math.abs(other.gain) - Math.abs(one.gain) || one.seq - other.seq).slice(0, KEY_MOMENTS);
	const isThere = !wanted || most.some(({seq, seat}) => seq === wanted.seq && seat === wanted.seat);
	return (isThere ? most : [...most.slice(0, KEY_MOMENTS - 1), wanted]).sort((one, other) => one.seq - other.seq);
}

/** Where a seat has won most at once: `{seq, seat, gain}`; null if it never won any points.
 * @param {Entry[]} log  @param {number} seat */
export function bestOf(log, seat) {
	const gains = scoringsOf(log).map(({seq, scores}, i, all) => ({seq, seat, gain: scores[seat] - (all[i - 1]?.scores[seat] ?? 0)}));
	const best = gains.reduce((most, one) => (one.gain > most.gain ? one : most), {seq: 0, seat, gain: 0});
	return best.gain ? best : null;
}

/** "+4", "−2", "0" */
export const signed = points => (points > 0 ? `+${points}` : String(points).replace("-", "−"));

/** @param {Game} game  @param {Ruleset} ruleset */
export const outcomeOf = (game, ruleset) =>
	(game.status === "cancelled" ? [t("The game was called off.")] : result(game.result ?? {}, game, ruleset.reasons, game.viewer.seats[0]));

export const columnName = (game, seats) => seats.map(seat => nameOf(game, seat));
