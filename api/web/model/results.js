// @ts-check
// What a finished game came to: who won and why, the points of each hand, and the moments that mattered. Pure.

import {nameOf, result, sidesOf} from "./model.js";
import {t} from "../texts.js";

/** @import {Entry, Game, Ruleset, Scoring} from "../types.d.ts" */

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
	if (found.length < 2) return []; // the end says it already
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
	(game.status === "cancelled" ? [t("The game was called off.")] : result(game.result ?? {}, game, ruleset.reasons));

export const columnName = (game, seats) => seats.map(seat => nameOf(game, seat));
