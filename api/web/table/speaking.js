// @ts-check
// What a table says to the page around it: never more than the viewer of the table sees.

/** @import {Listener} from "../types.d.ts" */

const LAST = ["finished", "cancelled"];

/** A listener of a table that passes on what happens: an entry under the name of its type.
 * @param {(name: string, detail: object) => void} say
 * @returns {Listener} */
export function speaker(say) {
	let newest = 0;
	let announced = 0;
	return {
		/** The last entry is said with the result, when the table shows it. */
		onEntry({seq: version, type, seat}) {
			if (version > newest && !LAST.includes(type)) say(type, {version, seat});
		},
		/** Say once for each version that it is the viewer's turn. */
		onVersion({newest: {version, to_act: awaited = [], seats}, seat}) {
			newest = version;
			if (seat === undefined || !awaited.includes(seat) || announced === version) return;
			announced = version;
			say("turn", {version, seat, deadline: seats[seat].deadline});
		},
		onTrouble(status = 0, message = "") {
			say(status === 401 ? "token-expired" : "error", {status, message});
		},
		onEnd({status, result, version}) {
			say(status, {result, version});
		},
	};
}
