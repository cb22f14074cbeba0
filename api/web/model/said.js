// @ts-check
// What an entry shows of people until it is erased: a text in somebody's own words. Names stand beside the log.

import {t} from "../texts.js";

/** The text of an entry, "…" if it was erased; nothing if nobody has said anything.
 * @param {import("../types.d.ts").Entry} entry  @returns {string | undefined} */
export function textOf({type, seals, private: shares, move}) {
	const said = shares?.all;
	if (type === "said") return said?.text ?? "…";
	if (type === "moved" && seals?.all) return said ? said.move?.text : "…";
	return move?.text;
}

/** A player whom an entry names by the id alone, with the name.
 * @param {{id: string} | null} player  @param {import("../types.d.ts").Game} game*/
export function named(player, game) {
	if (!player) return null;
	const sitting = game.seats.flatMap(seat => [seat.player, seat.previous]).find(one => one?.id === player.id);
	if (sitting) return sitting;
	return {...player, name: t("Somebody")};
}
