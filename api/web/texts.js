// @ts-check
// Texts in the reader's language. The code contains them in English; catalogues of the server have the others. Also names of the API,
// times and cards in words, and zones by their seats.

const LANGUAGES = ["en", "de", "es", "pt"];

/** The language of this page; on other sites the one that the table or the page around it names. */
export const language = LANGUAGES.find(each => wanted().toLowerCase().startsWith(each)) ?? "en";

/** The query that asks for the words of games in this language. */
export const inLanguage = language === "en" ? "" : `?language=${language}`;

/** A language of these that the pages lack, if the reader's browser prefers it and nobody chose another; or "".
 * @param {string[]} [languages] */
export function further(languages = []) {
	if (/[?& ]lang(uage)?=/.test(`${location.search} ${document.cookie}`) || document.querySelector("card-referee-table[lang]")) return "";
	const wanted = navigator.languages.map(tag => tag.slice(0, 2).toLowerCase()).find(tag => tag === language || languages.includes(tag));
	return wanted && wanted !== language ? wanted : "";
}

/** The reader's own variety of it, for dates and numbers. */
export const locale = globalThis.navigator?.languages?.find(each => each.startsWith(language)) ?? language;

/** @type {Record<string, any>} */
const catalogue = language === "en" ? {} : await load();

function wanted() {
	if (!globalThis.document) return "en"; // a worker
	/** @type {HTMLElement | null} */
	const table = document.querySelector("card-referee-table[lang]");
	return table?.lang || document.documentElement.lang || navigator.language;
}

async function load() {
	try {
		const response = await fetch(new URL(`messages/${language}.json`, import.meta.url));
		return response.ok ? await response.json() : {};
	} catch {
		return {}; // English is better than no table
	}
}

/** A text, with the values of its {names}.
 * @param {string} text  @param {Record<string, any>} [values] */
export function t(text, values = {}) {
	return fill(catalogue[text] ?? text, values).join("");
}

/** A text whose {names} get their values later.
 * @param {string} text  @returns {string} */
export const mark = text => catalogue[text] ?? text;

/** A text for one, or for another number, which is its {n}.
 * @param {string} one  @param {string} many  @param {number} n  @param {Record<string, any>} [values] */
export function tn(one, many, n, values = {}) {
	const forms = catalogue[one] ?? [one, many];
	return fill(forms[n === 1 ? 0 : 1], {n, ...values}).join("");
}

/** The pieces of a text, whose values are more than texts: parts of a sentence, or nodes.
 * @param {string} text  @param {Record<string, any>} values  @returns {any[]} */
export function pieces(text, values) {
	return fill(catalogue[text] ?? text, values);
}

/** @type {Record<string, string>} */
const ofGame = {};

/** Take the words of a game in the reader's language, by their English.
 * @param {Record<string, string>} [more] */
export function learn(more = {}) {
	Object.assign(ofGame, more);
}

/** A word of a game in the reader's language, or in English if its ruleset has no other.
 * @param {string} word */
export const inGame = word => ofGame[word] ?? word;

/** @param {string} text  @param {Record<string, any>} values */
function fill(text, values) {
	return text.split(/\{(\w+)\}/).flatMap((piece, i) => (i % 2 ? values[piece] : piece ? [piece] : []));
}

/** `hand_number` → "hand number", `row1` → "row 1" */
export const english = name => String(name).replaceAll("_", " ").replace(/([a-z])(\d)/g, "$1 $2");

/** A name in the reader's language, if the game's ruleset has it. */
export const words = name => inGame(english(name));

/** The name of a zone. If a move is called the same, the ruleset's words have it as `zone NAME`.
 * @param {string} base */
export function zoneName(base) {
	const own = inGame(`zone ${english(base)}`);
	return own.startsWith("zone ") ? words(base) : own;
}

/** A game's own sentence for a kind of move, with {fields}, or for what a field adds to it; or "". Its words have it as `move TYPE`;
 * as `did TYPE` where one tells of it, as `may TYPE` in a list of what is possible.
 * @param {"move" | "did" | "may" | "ask"} how  @param {...string} names */
export const sentenceOf = (how, ...names) => ofGame[`${how} ${names.map(english).join(" ")}`] ?? "";

export const capital = text => text.replace(/^./, first => first.toUpperCase());

/** @param {string} zone  @returns {[string, number | null]} `hand.2` → ["hand", 2]; `table` → ["table", null] */
export function place(zone) {
	const [, name, seat] = /^(.*?)(?:\.(\d+))?$/.exec(zone) ?? ["", zone];
	return [name, seat === undefined ? null : Number(seat)];
}

/** "Anna", "Anna and Bela", "Anna, Bela and Cili" */
export function list(names, last = t("and")) {
	if (names.length < 2) return names.join("");
	return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`;
}

export const SUITS = {C: "♣", D: "♦", H: "♥", S: "♠"};
export const SUIT_NAMES = {C: t("clubs"), D: t("diamonds"), H: t("hearts"), S: t("spades")};

const RANK_NAMES = {
	two: t("two"), three: t("three"), four: t("four"), five: t("five"), six: t("six"), seven: t("seven"), eight: t("eight"), nine: t("nine"), ten: t("ten"),
	jack: t("jack"), queen: t("queen"), king: t("king"), ace: t("ace"),
};
const FRENCH = {clubs: SUIT_NAMES.C, diamonds: SUIT_NAMES.D, hearts: SUIT_NAMES.H, spades: SUIT_NAMES.S};

/** The name of a card, "ace of spades", in the reader's language.
 * @param {string} name */
export function cardName(name) {
	const [, rank = "", suit = ""] = /^(\w+) of (\w+)$/.exec(name) ?? [];
	return rank in RANK_NAMES && suit in FRENCH ? t("{rank} of {suit}", {rank: RANK_NAMES[rank], suit: FRENCH[suit]}) : inGame(name);
}

const LENGTH = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/;
/** @type {[number, (n: number) => string][]} */
const UNITS = [
	[86400, n => tn("{n} day", "{n} days", n)], [3600, n => tn("{n} hour", "{n} hours", n)],
	[60, n => tn("{n} minute", "{n} minutes", n)], [1, n => tn("{n} second", "{n} seconds", n)],
];

/** "P1DT12H": 129600; NaN if it is no length. @param {string} length */
export function seconds(length) {
	const [, ...numbers] = LENGTH.exec(length) ?? [];
	return numbers.length ? numbers.reduce((sum, n, i) => sum + Number(n ?? 0) * [604800, 86400, 3600, 60, 1][i], 0) : NaN;
}

/** "P1DT12H": "1 day and 12 hours" */
export function duration(length) {
	let left = seconds(length);
	if (Number.isNaN(left)) return length;
	const parts = UNITS.map(([seconds, say]) => {
		const n = seconds > 1 ? Math.floor(left / seconds) : left;
		left -= n * seconds;
		return n && say(n);
	});
	return list(parts.filter(Boolean)) || t("no time");
}

/** A time with its date, in the reader's language and time zone; with the year if it is another one. */
export function moment(at, now = new Date()) {
	const there = new Date(at);
	/** @type {Intl.DateTimeFormatOptions} */
	const year = there.getFullYear() === now.getFullYear() ? {} : {year: "numeric"};
	/** @type {Intl.DateTimeFormatOptions} */
	const day = {weekday: "short", month: "short", day: "numeric", ...year};
	return there.toLocaleString(locale, {...day, hour: "2-digit", minute: "2-digit"});
}

const DAY = 86400000; // milliseconds

/** When a seat's own time for the move ends and its reserve begins to run; null if it has none.
 * @param {{deadline?: string | null, reserve?: string}} seat  @param {{quiet_weekends?: boolean, weekends?: string} | null} pace */
export function reserveBegins({deadline, reserve}, pace) {
	let left = 1000 * seconds(reserve ?? "PT0S");
	if (!deadline || !left) return null;
	const ahead = Date.parse("2000-01-01T00:00Z") - Date.parse(`2000-01-01T00:00${pace?.weekends ?? "Z"}`);
	let at = Date.parse(deadline) + ahead;
	while (left > 0) {
		const day = DAY * Math.floor((at - 1) / DAY);
		const isQuiet = pace?.quiet_weekends && [0, 6].includes(new Date(day).getUTCDay());
		const step = isQuiet ? 0 : Math.min(left, at - day);
		at = isQuiet ? day : at - step;
		left -= step;
	}
	return new Date(at - ahead);
}

/** That moment in words, or "". @param {{deadline?: string | null, reserve?: string}} seat  @param {any} pace */
export function reserveWords(seat, pace, now = new Date()) {
	const at = reserveBegins(seat, pace);
	if (!at) return "";
	return at > now ? t("the reserve runs from {time}", {time: moment(at, now)}) : t("the reserve has been running since {time}", {time: moment(at, now)});
}

const STATUS = {open: t("open"), running: t("running"), finished: t("finished"), cancelled: t("cancelled")};

/** @param {string} status */
export const statusWords = status => STATUS[status] ?? status;

/** @type {Record<string, string>} */
const COMMON = {
	"common.finished": t("the game is over"), "common.turn": t("it is not your turn"),
	"common.unknown_move": t("no such move is possible now"), "common.not_held": t("a card is not where you want to take it from"),
};

/** Why a move is refused. What all games refuse is said in the reader's language, what a game itself refuses as its ruleset says it.
 * @param {import("./types.d.ts").Verdict} verdict */
export const refusal = ({rule = "", reason = ""}) => (language === "en" && rule !== "common.unknown_move" ? reason : COMMON[rule] ?? reason);
