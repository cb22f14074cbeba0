// @ts-check
// Whether a take-back can succeed, as far as a seat knows: nothing that was hidden may have been shown since its last move.

import {place} from "../texts.js";

/** @import {Entry, Ruleset} from "../types.d.ts" */

/** Whether asking makes sense: the seat has moved, and neither chance nor a hidden card came since.
 * @param {Entry[]} log  @param {number} seat  @param {Ruleset} ruleset */
export function mayTakeBack(log, seat, ruleset) {
	if (Object.values(ruleset.facts).some(schema => schema["x-private"])) return false;
	let moves = [];
	for (const entry of log) {
		if (entry.type === "moved") moves.push(entry);
		else if (/taken_back|_undone/.test(entry.type)) moves = moves.filter(({seq}) => seq < (entry.of ?? 0));
		else if (entry.type === "timed_out") moves = []; // nothing before it can be taken back
	}
	const last = moves.findLastIndex(entry => entry.seat === seat);
	return last >= 0 && !moves.slice(last).some(({transfers = []}) => transfers.some(one => shows(one, ruleset)));
}

function shows({from, to}, ruleset) {
	if (from === null) return true; // cards were shuffled and dealt
	const [before, after] = [viewer(from, ruleset), viewer(to, ruleset)];
	return before !== after && before !== "everyone" && after !== "nobody";
}

/** @param {string} zone  @param {Ruleset} ruleset */
function viewer(zone, ruleset) {
	const [name, seat] = place(zone ?? "");
	const {seen_by: by = "everyone"} = ruleset.zones.find(one => one.name === name) ?? {};
	return by === "owner" ? seat : by;
}

