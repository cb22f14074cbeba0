// @ts-check
// What the pace of a game means.

import {duration} from "../model/words.js";

const LATE = {
	resign: "Whoever is late even then loses", random_move: "For whoever is late even then, a random move is made",
	bot: "For whoever is late even then, a careful bot moves",
};

/** What a pace means for a player, in sentences. */
export function paceSentence({per_move: move, on_timeout: late, reserve, increment, quiet_weekends: quiet, own_hours: own, vacation_days: off,
	reserve_cap: cap, out_after: out, stand_in: bot, weekends}) {
	const days = off === 1 ? "1 day" : `${off} days`;
	return [
		`Each move has ${duration(move)}.`,
		reserve && `Only after that a reserve of ${duration(reserve)} for the whole game begins to run.`,
		increment && `Each move adds ${duration(increment)} to the reserve${cap ? `, up to ${duration(cap)}` : ""}.`,
		`${reserve ? LATE[late] : LATE[late].replace(" even then", "")}.`,
		out && `Whoever misses ${out === 1 ? "a turn" : `${out} turns in a row`} is out${bot ? ": a bot takes the seat" : ", and loses"}.`,
		weekends && `Saturdays and Sundays do not count (${weekends}).`,
		quiet && "Saturdays and Sundays do not count.",
		own && `A player’s sleep and days off delay a deadline by up to ${duration(own)}.`,
		off ? `Each player may take ${days} of vacation.` : "",
	].filter(Boolean).join(" ");
}
