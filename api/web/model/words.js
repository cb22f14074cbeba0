// @ts-check
// Names of the API in words, and zones by their seats.

/** `hand_number` → "hand number", `row1` → "row 1" */
export function words(name) {
	return String(name).replaceAll("_", " ").replace(/([a-z])(\d)/g, "$1 $2");
}

export const capital = text => text.replace(/^./, first => first.toUpperCase());

/** @param {string} zone  @returns {[string, number | null]} `hand.2` → ["hand", 2]; `table` → ["table", null] */
export function place(zone) {
	const [, name, seat] = /^(.*?)(?:\.(\d+))?$/.exec(zone) ?? ["", zone];
	return [name, seat === undefined ? null : Number(seat)];
}

/** "Anna", "Anna and Bela", "Anna, Bela and Cili" */
export function list(names, last = "and") {
	if (names.length < 2) return names.join("");
	return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`;
}

export const SUITS = {C: "♣", D: "♦", H: "♥", S: "♠"};
export const SUIT_NAMES = {C: "clubs", D: "diamonds", H: "hearts", S: "spades"};

const LENGTH = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/;
/** @type {[string, number][]} */
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** "P1DT12H": "1 day and 12 hours" */
export function duration(length) {
	const [, ...numbers] = LENGTH.exec(length) ?? [];
	if (!numbers.length) return length;
	let left = numbers.reduce((sum, n, i) => sum + Number(n ?? 0) * [604800, 86400, 3600, 60, 1][i], 0);
	const parts = UNITS.map(([unit, seconds]) => {
		const n = seconds > 1 ? Math.floor(left / seconds) : left;
		left -= n * seconds;
		return n && `${n} ${unit}${n === 1 ? "" : "s"}`;
	});
	return list(parts.filter(Boolean)) || "no time";
}

/** A time with its date, in the reader's language and time zone; with the year if it is another one. */
export function moment(at, now = new Date()) {
	const there = new Date(at);
	/** @type {Intl.DateTimeFormatOptions} */
	const year = there.getFullYear() === now.getFullYear() ? {} : {year: "numeric"};
	/** @type {Intl.DateTimeFormatOptions} */
	const day = {weekday: "short", month: "short", day: "numeric", ...year};
	return there.toLocaleString(undefined, {...day, hour: "2-digit", minute: "2-digit"});
}

/** The time limits in words.
 * @param {import("../types.d.ts").Pace} pace */
export function pace({per_move: move, on_timeout: late, reserve, quiet_weekends: quiet, own_hours: own}) {
	return [`${duration(move)} a move`, reserve && `${duration(reserve)} in reserve`, quiet && "weekends excluded",
		own && `up to ${duration(own)} more for players’ own hours`,
		late === "resign" ? "late players lose" : "late players get a random move"].filter(Boolean).join(", ");
}
