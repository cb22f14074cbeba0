// @ts-check
// What a log says of others than its players: who looked at hands, and what an app did in their place.

import {knows} from "./verify.js";

const WHO = {app: "The app", auditor: "An auditor"};
const WHAT = {
	cards: whose => `saw the cards of ${whose}`,
	moves: whose => `asked for the legal moves of ${whose}, or tried one`,
	token: whose => `created a token for the player of ${whose}`,
};

/** Sentences about looks and about what an app did for seats. */
export function traces(entries) {
	const last = entries.findLast(({type}) => type === "finished" || type === "cancelled");
	const looks = (last?.looks ?? []).map(({what, by, seat, at}) =>
		`${WHO[by]} ${WHAT[what]?.(seat === null ? "all seats" : `seat ${seat}`)}, ${at?.slice(0, 19).replace("T", " ")} UTC.`);
	const acts = new Map();
	for (const [i, {type, seat, by}] of entries.entries()) {
		if (by !== "app" || seat == null) continue;
		const kinds = acts.get(seat) ?? acts.set(seat, new Map()).get(seat);
		kinds.set(type, [...kinds.get(type) ?? [], i + 1]);
	}
	const named = kinds => [...kinds].map(([type, numbers]) => `${type} in ${numbers.join(", ")}`).join("; ");
	return [
		...(!knows(entries, "lists_looks") ? ["Whether anybody looked at hands was not recorded in logs of this number."]
			: !last ? ["Who has looked at hands is told when the game is over."]
			: looks.length ? looks : ["Nobody else than the players has looked at hands, says the server."]),
		...(!knows(entries, "says_by") ? ["Whether the app acted for players was not recorded in logs of this number."] : []),
		...[...acts].sort(([one], [other]) => one - other).map(([seat, kinds]) => `The app acted for seat ${seat}: ${named(kinds)}.`),
	];
}
