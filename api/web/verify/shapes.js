// The JSON types of what logs and records contain: a boolean is no number, and numbers have no fraction.

const int = Number.isSafeInteger;
const text = value => typeof value === "string";
const flag = value => typeof value === "boolean";
const isObject = value => value !== null && typeof value === "object" && !Array.isArray(value);
const isWhole = value => (typeof value === "number" ? int(value) : value === null || typeof value !== "object" || Object.values(value).every(isWhole));
const any = value => isObject(value) && isWhole(value);
const maybe = kind => value => value === null || kind(value);
const list = kind => value => Array.isArray(value) && value.every(kind);
const map = kind => value => isObject(value) && Object.values(value).every(kind);
const of = fields => value => isObject(value) && Object.keys(value).every(name => Object.hasOwn(fields, name) && fields[name](value[name]));
const open = fields => value => any(value) && Object.keys(fields).every(name => !Object.hasOwn(value, name) || fields[name](value[name]));

const person = {id: text, name: text};
export const FIELDS = {
	player: person,
	beacon: {scheme: text, public_key: text, genesis_time: int, period: int},
	randomness: {round: int, signature: text},
	pace: {
		per_move: text, on_timeout: text, warn_before: maybe(text), reserve: maybe(text), quiet_weekends: flag, vacation_days: int,
		increment: maybe(text), own_hours: maybe(text),
	},
	take_back: {of: int, asks: flag, agrees: flag},
	imported_by: person,
	replacement: {seat: int, player: maybe(of(person)), bot: maybe(text)},
	nudge: {seat: int, player: of(person)},
	vacation: {days: int, until: text, left: int},
	added: {seat: int, time: text},
	undone: {seat: int, timed_out: int},
};
const transfers = list(of({from: maybe(text), to: maybe(text), cards: list(maybe(text))}));
const move = open({type: text});
const share = open({transfers, move, salt: text, signature: text});
const result = open({winners: list(int), losers: list(int), reason: text});
const each = (kind, names) => Object.fromEntries(names.split(" ").map(name => [name, kind]));
const inner = Object.fromEntries(Object.entries(FIELDS).map(([name, fields]) => [name, of(fields)]));
const TYPES = {
	...inner, player: maybe(inner.player), pace: maybe(inner.pace), result: maybe(result),
	...each(text, "type at since hash sealed entropy reveal_within text seed ruleset test_clock visibility commitment origin by public_key signature"),
	...each(int, "seq ruleset_version seats log won_by of"),
	...each(map(text), "seals deadlines delays reserve"),
	...each(flag, "replaced order random agreed"),
	options: any, move,
	seat: maybe(int), bot: maybe(text), private: map(share), scores: list(int),
	transfers,
	looks: list(of({what: text, by: text, seat: maybe(int), at: text})),
};
const RECORD = {
	...each(text, "format ruleset"), ...each(maybe(text), "seed commitment origin test_clock title external_id game"),
	...each(maybe(any), "inclusion"), ...each(maybe(inner.imported_by), "imported_by"),
	version: maybe(int), seats: int, options: any, entropy: list(text), result: maybe(result), randomness: maybe(inner.randomness),
	moves: list(of({seat: int, move, seq: int, at: text, hash: text})), chance: maybe(list(of({shuffle: list(text), pick: int, of: int}))), metadata: maybe(map(text)),
	ended: maybe(of({type: text, seat: maybe(int), seats: list(int)})), entries: Array.isArray,
};

const mistyped = kinds => value => Object.keys(value).find(name => Object.hasOwn(kinds, name) && !kinds[name](value[name]));
/** The name of the first member with a value of another type. */
export const mistypedInEntry = mistyped(TYPES);
export const mistypedInRecord = mistyped(RECORD);

/** Read JSON that has no number with a fraction or an exponent: once read, `1.0` cannot be told from `1`. */
export function readStrictly(content) {
	const value = JSON.parse(content);
	if (/\d[.eE]/.test(content.replace(/"(?:[^"\\]|\\.)*"/g, '""'))) throw new Error("It has a number with a fraction or an exponent.");
	return value;
}
