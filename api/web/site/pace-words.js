// @ts-check
// What the pace of a game means.

import {duration, t, tn} from "../texts.js";

const LATE = {
	resign: [t("Whoever is late loses."), t("Whoever is late even then loses.")],
	random_move: [t("For whoever is late, a random move is made."), t("For whoever is late even then, a random move is made.")],
	bot: [t("For whoever is late, a careful bot moves."), t("For whoever is late even then, a careful bot moves.")],
};

/** What a pace means for a player, in sentences. */
export function paceSentence({per_move: move, on_timeout: late, reserve, increment, quiet_weekends: quiet, vacation_days: off,
	reserve_cap: cap, out_after: out, stand_in: bot, weekends}) {
	const says = LATE[late] ?? LATE.random_move;
	const added = {time: duration(increment), most: duration(cap)};
	return [
		t("Each move has {time}.", {time: duration(move)}),
		reserve && t("Only after that a reserve of {time} for the whole game begins to run.", {time: duration(reserve)}),
		increment && (cap ? t("Each move adds {time} to the reserve, up to {most}.", added) : t("Each move adds {time} to the reserve.", added)),
		says[reserve ? 1 : 0],
		out && (bot ? tn("Whoever misses a turn is out: a bot takes the seat.", "Whoever misses {n} turns in a row is out: a bot takes the seat.", out)
			: tn("Whoever misses a turn is out, and loses.", "Whoever misses {n} turns in a row is out, and loses.", out)),
		quiet && t("Saturdays and Sundays do not count ({zone}).", {zone: `UTC${weekends ?? ""}`}),
		off ? tn("Each player may take {n} day of vacation.", "Each player may take {n} days of vacation.", off) : "",
	].filter(Boolean).join(" ");
}
