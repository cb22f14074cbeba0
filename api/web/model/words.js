// Names of the API in words, and zones by their seats.

/** `hand_number` → "hand number", `row1` → "row 1" */
export function words(name) {
	return String(name).replaceAll("_", " ").replace(/([a-z])(\d)/g, "$1 $2");
}

export const capital = text => text.replace(/^./, first => first.toUpperCase());

/** `hand.2` → ["hand", 2]; `table` → ["table", null] */
export function place(zone) {
	const [, name, seat] = /^(.*?)(?:\.(\d+))?$/.exec(zone);
	return [name, seat === undefined ? null : Number(seat)];
}

/** "Anna", "Anna and Bela", "Anna, Bela and Cili" */
export function list(names, last = "and") {
	if (names.length < 2) return names.join("");
	return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`;
}

export const SUITS = {C: "♣", D: "♦", H: "♥", S: "♠"};
export const SUIT_NAMES = {C: "clubs", D: "diamonds", H: "hearts", S: "spades"};

const brief = length => length?.replace(/^PT?/, "").toLowerCase();

/** The time limits in words. */
export function pace({per_move: move, on_timeout: late, reserve, quiet_weekends: quiet, own_hours: own}) {
	return [`${brief(move)} a move`, reserve && `${brief(reserve)} in reserve`, quiet && "weekends excluded",
		own && `up to ${brief(own)} more for players’ own hours`,
		late === "resign" ? "late players lose" : "late players get a random move"].filter(Boolean).join(", ");
}
