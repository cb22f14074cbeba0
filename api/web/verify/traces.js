// @ts-check
// What a record says of others than its players: who looked at hands, and what an app did in their place.

import {t} from "../texts.js";

const WHO = {app: t("The app"), auditor: t("An auditor")};
const WHAT = {
	cards: look => t("{who} saw the cards of {whose}, {time}.", look),
	moves: look => t("{who} asked for the legal moves of {whose}, or tried one, {time}.", look),
	token: look => t("{who} created a token for the player of {whose}, {time}.", look),
};

/** Sentences about looks and about what an app did for seats: the server's word, as no hash and no receipt covers looks. */
export function traces({entries = [], looks: listed}) {
	const last = entries.findLast(({type}) => type === "finished" || type === "cancelled");
	const looks = (listed ?? []).map(({what, by, seat, at}) =>
		WHAT[what]?.({who: WHO[by], whose: seat === null ? t("all seats") : t("seat {seat}", {seat}), time: `${at?.slice(0, 19).replace("T", " ")} UTC`}) ?? "");
	const acts = new Map();
	for (const [i, {type, seat, by}] of entries.entries()) {
		if (by !== "app" || seat == null) continue;
		const kinds = acts.get(seat) ?? acts.set(seat, new Map()).get(seat);
		kinds.set(type, [...kinds.get(type) ?? [], i + 1]);
	}
	const named = kinds => [...kinds].map(([type, numbers]) => t("{type} in {entries}", {type, entries: numbers.join(", ")})).join("; ");
	return [
		...(!last ? [t("Who has looked at hands is told when the game is over.")]
			: !listed ? [t("The record does not say who has looked at hands.")]
				: looks.length ? looks : [t("Nobody else than the players has looked at hands.")]),
		...[...acts].sort(([one], [other]) => one - other).map(([seat, kinds]) => t("The app acted for seat {seat}: {what}.", {seat, what: named(kinds)})),
	];
}
