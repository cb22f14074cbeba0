// @ts-check
// What the pace of a game means.

import {duration} from "../model/words.js";

const LATE = {
	resign: "Whoever is late even then loses", random_move: "For whoever is late even then, a random move is made",
	bot: "For whoever is late even then, a careful bot moves",
};

/** What a pace means for a player, in sentences. */
export function paceSentence({per_move: move, on_timeout: late, reserve, increment, quiet_weekends: quiet, own_hours: own, vacation_days: off}) {
	const days = off === 1 ? "1 day" : `${off} days`;
	return [
		`Each move has ${duration(move)}.`,
		reserve && `Only after that a reserve of ${duration(reserve)} for the whole game begins to run.`,
		increment && `Each move adds ${duration(increment)} to the reserve.`,
		`${reserve ? LATE[late] : LATE[late].replace(" even then", "")}.`,
		quiet && "Saturdays and Sundays do not count.",
		own && `A player’s sleep and days off delay a deadline by up to ${duration(own)}.`,
		off ? `Each player may take ${days} of vacation.` : "",
	].filter(Boolean).join(" ");
}
