// @ts-check
// Rules for the log of any game. Only the rules of the game can tell whose turn it was.

import {wrongClock} from "./clocks.js";
import {seated, who, withoutConsent, wrongHandover} from "./consent.js";
import {verifyDealing} from "./dealing.js";
import {DECLARED} from "./declared.js";
import {canonical} from "./encoding.js";
import {INNER, mistypedInEntry, mistypedInRecord} from "./shapes.js";
import {checked, fault, moment} from "./verify.js";

/** @import {Entry} from "../types.d.ts" */

const {every: EVERY, types: TYPES, marks: MARKS, record: RECORD} = DECLARED;
const has = (type, name) => TYPES[type]?.members.includes(name);
const LISTED = Object.keys(RECORD.moves.list.fields);
const ENDED = Object.keys(RECORD.ended.maybe.fields);

export function verifyTable(record) {
	const entries = record.entries ?? [];
	return [
		checked("times", () => wrongTime(record)),
		checked("order", () => wrongOrder(record, entries)),
		checked("seats", () => wrongSeat(entries)),
		checked("consent", () => withoutConsent(entries) ?? wrongHandover(entries, record.seed != null)),
		checked("clocks", () => wrongClock(entries)),
		checked("members", () => unknownMember(record, entries)),
		...verifyDealing(record),
	];
}

function wrongTime({entries = []}) {
	let before = 0n;
	for (const {seq, at} of entries) {
		const time = moment(at);
		if (time < before) return fault("is earlier than the entry before", seq);
		before = time;
	}
	return null;
}

function wrongOrder({ended = null}, entries) {
	let [stage, resigns, last] = ["nothing", true, ""];
	/** @type {Entry[]} */
	const ends = [];
	/** @type {Entry | null} */
	let finished = null;
	for (const entry of entries) {
		const {seq, type, pace} = entry;
		const declared = TYPES[type];
		if (!declared?.stages.includes(stage)) return fault(`${type} is impossible here: the game is ${stage}`, seq);
		if (type === "finished" && stage === "running" && last !== "moved") return fault("does not follow from a move", seq);
		if (pace) resigns = pace.on_timeout === "resign";
		if (declared.then && (resigns || !declared.resigns)) {
			stage = declared.then;
			if (/resigned|timed_out|cancelled|dropped|drawn|adjudicated/.test(type)) ends.push(entry);
		}
		if (type === "finished") finished = entry;
		if (type !== "said") last = type;
	}
	if (/nothing|given up|timed out|forfeited|decided/.test(stage)) return fault("the log ends too early");
	const seats = ends.map(end => end.seat);
	const ruled = ends.flatMap(({ruling}) => (ruling ? [...ruling.winners, ...ruling.losers] : []));
	if (new Set(ruled).size !== ruled.length || !ruled.every(seat => isPlace(seat, entries[0]))) return fault("is no ruling about the seats of the table");
	const due = {type: ends[0]?.type, seat: seats[0], ...(ends[1] && {seats}), ...ends[0]?.ruling};
	const isSame = Object.keys(due).every(name => canonical(ended?.[name] ?? null) === canonical(due[name] ?? null));
	if (!isSame || new Set(seats).size !== seats.length) return fault("the record does not end as its log does");
	const {seq = 0, result} = /** @type {Partial<Entry>} */ (finished ?? {});
	return !seq || fitsEnd(result, ends, entries[0].seats) ? null : fault("the result does not fit the end", seq);
}

/** Whether a result is that of the entries by which the game ended without a move, if there are any. */
function fitsEnd(result, ends, seats) {
	if (!result) return false;
	const [end] = ends;
	if (end?.type === "drawn") return canonical(result) === canonical({winners: [...Array(seats).keys()], losers: [], reason: "drawn"});
	if (end?.type === "adjudicated") return canonical(result) === canonical({...end.ruling, reason: "adjudicated"});
	const isGivenUp = /^(resigned|timed_out|dropped)$/.test(result.reason) && ends.every(({seat}) => result.losers.includes(seat));
	return isGivenUp === ends.length > 0;
}

const isPlace = (seat, {seats}) => seat >= 0 && seat < seats;
const isSomebody = ({player, bot}, mayBeNobody) => (player == null ? Boolean(bot) || mayBeNobody : bot == null && Boolean(player.id));

function wrongSeat(entries) {
	const {seats} = entries[0];
	let running = false;
	return seated(entries, (entry, holders) => {
		running ||= entry.type === "started";
		if (/joined|left/.test(entry.type) && Boolean(entry.replaced) !== running) return "a seat changes hands at the wrong time";
		if (entry.type === "joined") {
			if (holders.has(entry.seat) || !isPlace(entry.seat, entries[0])) return "joins a seat that is not free";
			return isSomebody(entry, "origin" in entries[0]) ? null : "is taken by nobody, or by a player and a bot";
		}
		const about = entry.replacement?.seat ?? 0;
		if (!isPlace(about, entries[0])) return "is about a seat that the table does not have";
		const {nudge} = entry;
		if (entry.type === "nudged" && (!nudge || nudge.seat === entry.seat || who(holders.get(nudge.seat) ?? {}) !== who(nudge))) return "nudges somebody who does not hold that seat";
		if (entry.type === "started" && holders.size !== seats) return "starts while seats are free";
		if (!has(entry.type, "seat")) return null;
		if (entry.seat == null && entry.type === "said") return entry.player == null ? null : "a player without a seat";
		const held = holders.get(entry.seat);
		return held && who(held) === who(entry) ? null : `names another player than the one who holds seat ${entry.seat}`;
	});
}

function unknownMember(record, entries) {
	const beyond = (value, known) => Object.keys(value ?? {}).find(name => !known.includes(name));
	const inside = value => Object.keys(INNER).map(name => beyond(value[name], INNER[name])).find(Boolean);
	const strange = beyond(record, Object.keys(RECORD)) ?? beyond(record.ended, ENDED) ?? inside(record)
		?? (record.moves ?? []).map(move => beyond(move, LISTED)).find(Boolean);
	if (strange) return fault(`the record has no member ${strange}`);
	const other = mistypedInRecord(record);
	if (other) return fault(`${other} has a value of another type`);
	for (const entry of entries) {
		const more = beyond(entry, [...EVERY, ...(TYPES[entry.type]?.members ?? [])]) ?? inside(entry);
		if (more) return fault(`an entry of type ${entry.type} has no member ${more}`, entry.seq);
		const missing = TYPES[entry.type]?.needed.find(name => !Object.hasOwn(entry, name));
		if (missing) return fault(`an entry of type ${entry.type} needs ${missing}`, entry.seq);
		const mark = MARKS.find(name => (entry[name] ?? true) !== true);
		if (mark) return fault(`${mark} can only be true`, entry.seq);
		const wrong = mistypedInEntry(entry);
		if (wrong) return fault(`${wrong} has a value of another type`, entry.seq);
	}
	return null;
}
