// @ts-check
// Whether deadlines, reserves and days off follow from the pace. Times are in nanoseconds.

import {DECLARED} from "./declared.js";
import {duration, fault, moment} from "./verify.js";

/** @import {Fault} from "../types.d.ts" */

const DAY = 86400000000000n;
const WEEK = 7n * DAY;

/** @param {bigint} at The first of January 1970 was a Thursday. */
const inWeek = at => (at + 3n * DAY) % WEEK;
/** @param {bigint} at */
const afterWeekend = at => (inWeek(at) < 5n * DAY ? at : at - inWeek(at) + WEEK);

const LATEST = moment("9999-12-30T00:00:00Z");
/** @param {bigint} at */
const bounded = at => (at < LATEST ? at : LATEST);

/** How much later it is where weekends are quiet than in UTC; null if they are not.
 * @param {{quiet_weekends?: boolean, weekends?: string}} pace  @returns {bigint | null} */
function quietOf({quiet_weekends: quiet, weekends = "+00:00"}) {
	const [, sign, hours, minutes] = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(weekends) ?? [];
	if (!sign) throw new Error("no offset");
	return quiet ? BigInt(`${sign}1`) * (BigInt(hours) * 60n + BigInt(minutes)) * 60000000000n : null;
}

/** The time a length after another one. @param {bigint} start  @param {bigint} length  @param {bigint | null} quiet */
function later(start, length, quiet) {
	if (quiet === null) return start + length;
	const begin = afterWeekend(start + quiet);
	let [weeks, rest] = [length / (5n * DAY), length % (5n * DAY)];
	if (weeks && !rest) [weeks, rest] = [weeks - 1n, 5n * DAY];
	const at = begin + weeks * WEEK;
	return (rest <= 5n * DAY - inWeek(at) ? at + rest : at + rest + 2n * DAY) - quiet;
}

/** The time that counts between two. @param {bigint} start  @param {bigint} until  @param {bigint | null} quiet */
function between(start, until, quiet) {
	const [begin, end] = quiet === null ? [start, until] : [afterWeekend(start + quiet), until + quiet];
	if (end <= begin) return 0n;
	if (quiet === null) return end - begin;
	const [weeks, rest] = [(end - begin) / WEEK, (end - begin) % WEEK];
	const beyond = rest - (5n * DAY - inWeek(begin));
	return weeks * 5n * DAY + rest - (beyond <= 0n ? 0n : beyond < 2n * DAY ? beyond : 2n * DAY);
}

const isPace = ({vacation_days: days = 0, out_after: out, ...of}) =>
	["per_move", "warn_before", "reserve", "increment", "reserve_cap"].map(name => duration(of[name]))
	&& (quietOf(of), "per_move" in of)
	&& days >= 0 && days <= 365 && /^(resign|random_move|bot)$/.test(of.on_timeout)
	&& (out === undefined || (out >= 1 && out <= 10 && of.on_timeout !== "resign"));

/** The first entry whose times do not follow from the pace. @returns {Fault | null} */
export function wrongClock(entries) {
	const pace = entries[0]?.pace ?? null;
	if (pace && !isPace(pace)) return fault("unknown kind of pace", 1);
	const clocks = new Clocks(entries, pace);
	for (const entry of entries) {
		const found = clocks.take(entry);
		if (found) return fault(found, entry.seq);
	}
	return null;
}

/** The clocks of all seats, as the entries taken so far leave them. Methods named `wrong…` return what is wrong with an entry, or null. */
class Clocks {
	constructor(entries, pace) {
		this.pace = pace;
		this.quiet = pace && quietOf(pace);
		this.clocks = Array.from({length: entries[0]?.seats ?? 0}, () => new Clock(pace));
		this.isCounted = pace !== null;
		this.isCopied = entries[0]?.origin !== undefined;
		this.isPaused = false;
		this.isRevealing = entries[0]?.entropy !== undefined; // until the deal
		this.now = this.before = 0n; // the times of this entry and of the one before
		/** @type {Set<number>} seats whose time is over and for which no move was made yet */
		this.late = new Set();
		this.isForced = false; // whether the last entry was a move for a late seat
		/** @type {{seq: number, number: string, time: bigint}[]} time that moves have won or lost */
		this.earned = [];
	}

	/** @returns {string | null} */
	take(entry) {
		const {type} = entry;
		this.isRevealing &&= type !== "started";
		if (this.isRevealing && type === "time_returned") return entry.deadlines ? "names deadlines before the deal" : null;
		if (!this.isCounted && this.isCopied && type === "timed_out") return null; // as the record says from which the log was written
		if (!this.isCounted) return namesTimes(entry) ? "has times in a game without deadlines" : null;
		if (this.isPaused && type !== "finished" && !DECLARED.types[type]?.stages.includes("paused")) return "the game is paused";
		[this.before, this.now] = [this.now, moment(entry.at)];
		const wrong = this.wrongChange(entry) ?? this.wrongTimeOut(entry)
			?? this.wrongReserve(entry);
		if (wrong || entry.type === "vacation_taken") return wrong ?? this.wrongVacation(entry);
		this.stop(entry);
		return this.wrongDeadline(entry);
	}

	wrongChange({type, since, added, deadlines = {}}) {
		const down = since && moment(since);
		const isLost = since && down >= this.before && down <= this.now && Object.keys(deadlines).length;
		if (type === "time_returned" && !isLost) return "returns time that nobody lost";
		if (type === "time_added" && Object.keys(deadlines).join() !== `${added?.seat}`) return "adds time for another seat";
		return null;
	}

	/** A move for a late seat follows on the time-outs of all seats that are late then. */
	wrongTimeOut({type, seat, random}) {
		const {late} = this;
		const isForced = type === "moved" && Boolean(random);
		const [first] = late;
		if (late.size && !this.isForced && !isForced && type !== "timed_out") return `no move was made for seat ${first}`;
		for (const other of isForced ? late : []) {  // a move may have ended the turns of those before this seat
			if (other === seat) break;
			if (!this.isForced) return `seat ${other} was late before`;
			late.delete(other);
		}
		if (isForced && !late.delete(seat)) return "nobody's time was over";
		if (!isForced && (this.isForced || type !== "timed_out")) late.clear();
		this.isForced = isForced;
		if (type !== "timed_out") return null;
		const deadline = this.clocks[seat]?.deadline ?? null;
		if (deadline === null || deadline > this.now) return `the time of seat ${seat} was not over`;
		if (this.pace.on_timeout === "resign") return null;
		const isEarlier = other => {
			const its = this.clocks[other].deadline ?? 0n;
			return its > deadline || (its === deadline && other > seat);
		};
		if (late.has(seat) || [...late].some(isEarlier)) return `seat ${seat} was late before others`;
		late.add(seat);
		return null;
	}

	wrongReserve({seq, type, seat, random, of, reserve = {}}) {
		const {pace} = this;
		const isBack = /taken_back|timeout_undone/.test(type);
		const lost = isBack ? this.earned.filter(each => each.seq >= of) : [];
		if (isBack) this.earned = this.earned.filter(each => each.seq < of);
		if (lost.some(each => each.time && !(each.number in reserve))) return "an increment is kept, or a reserve not given back";
		for (const [number, left] of Object.entries(reserve)) {
			const clock = this.clocks[Number(number)];
			const rest = clock.rest(this.now, this.quiet);
			const isMover = type === "moved" && Number(number) === seat && clock.deadline !== null;
			const earns = isMover && !random;
			const before = clock.reserve;
			let due = earns ? earned(rest, pace) : rest;
			const isFull = pace.reserve_cap && due >= duration(pace.reserve_cap);
			const kept = isFull ? smaller(due > before ? due - before : 0n, duration(pace.increment)) : duration(pace.increment);
			this.earned.push({seq, number, time: earns ? kept : isMover ? rest - before : 0n});
			for (const each of lost) if (each.number === number) due = due > each.time ? due - each.time : 0n;
			if (due === clock.reserve && !pace.increment || due !== duration(left)) return `the reserve of seat ${number} is wrong`;
			clock.reserve = due;
		}
		return null;
	}

	wrongVacation({seat, vacation, deadlines = {}}) {
		if (!vacation) return "does not say for how many days";
		const {quiet, clocks: {[seat]: clock}} = this;
		const begun = clock.present(this.now);
		const until = begun + BigInt(vacation.days) * DAY;
		clock.days -= vacation.days;
		if (vacation.days < 1 || clock.days < 0 || vacation.left !== clock.days) return "too many days off";
		if (moment(vacation.until) !== until) return "the days off end at another time";
		clock.away = until;
		const moved = clock.deadline && bounded(later(until, between(begun, clock.deadline, quiet), quiet));
		if (Object.keys(deadlines).some(each => Number(each) !== seat || moment(deadlines[each]) !== moved)) return "the deadline moves wrongly";
		clock.deadline = seat in deadlines ? moved : null;
		return null;
	}

	/** Stop the clocks that an entry stops: one by a move, all by a pause or while the server was down. */
	stop({type, seat, since}) {
		if (type === "left") Object.assign(this.clocks[seat], {deadline: null, away: 0n});
		if (type === "moved") this.clocks[seat].deadline = null;
		if (type === "paused" || since) for (const clock of this.clocks) clock.stop(since ? moment(since) : this.now, this.quiet);
		if (type === "paused" || type === "resumed") this.isPaused = type === "paused";
	}

	wrongDeadline({type, since, added, deadlines = {}}) {
		const {pace, now} = this;
		for (const [number, deadline] of Object.entries(deadlines)) {
			const clock = this.clocks[Number(number)];
			const length = type === "resumed" || since ? clock.left : added ? duration(added.time) : duration(pace.per_move) + clock.reserve;
			const start = added ? clock.deadline : clock.present(now);
			if (start === null || length === null) return `the clock of seat ${number} does not run`;
			clock.deadline = bounded(later(start, length, this.quiet));
			if (moment(deadline) !== clock.deadline) return `the deadline of seat ${number} is wrong`;
		}
		return null;
	}
}

class Clock {
	constructor(pace) {
		/** @type {bigint} */
		this.reserve = duration(pace?.reserve);
		this.away = 0n; // until when its player has days off
		this.days = pace?.vacation_days ?? 0;
		/** @type {bigint | null} */
		this.deadline = null;
		/** @type {bigint | null} what was left when it was stopped */
		this.left = null;
	}

	/** When time begins to count. @param {bigint} now */
	present(now) {
		return this.away > now ? this.away : now;
	}

	/** What is left of the reserve. @param {bigint} now  @param {bigint | null} quiet  @returns {bigint} */
	rest(now, quiet) {
		const left = this.deadline === null ? this.reserve : between(this.present(now), this.deadline, quiet);
		return left > this.reserve ? this.reserve : left;
	}

	/** @param {bigint} now  @param {bigint | null} quiet */
	stop(now, quiet) {
		this.left = this.deadline && between(this.present(now), this.deadline, quiet);
		this.deadline = null;
	}
}

const smaller = (one, other) => (one < other ? one : other);

/** A reserve after the increment of a move, up to the cap. @param {bigint} rest */
function earned(rest, {increment, reserve_cap: cap}) {
	const sum = rest + duration(increment);
	if (!cap || sum <= duration(cap)) return sum;
	return rest > duration(cap) ? rest : duration(cap);
}

function namesTimes({type, random, vacation, deadlines = {}, reserve = {}}) {
	return /^(timed_out|paused|time_.*|timeout_.*)$/.test(type) || random || vacation
		|| [deadlines, reserve].some(times => Object.keys(times).length);
}
