// Rules for the log of any game. Only the rules of the game can tell whose turn it was.

import {seated, who, withoutConsent, wrongHandover} from "./consent.js";
import {verifyDealing} from "./dealing.js";
import {DECLARED} from "./declared.js";
import {INNER, mistypedInEntry, mistypedInRecord} from "./shapes.js";
import {canonical, checked, duration, fault, knows, moment} from "./verify.js";

const {every: EVERY, types: TYPES, marked: MARKED, marks: MARKS, record: RECORD} = DECLARED;
const has = (type, name) => TYPES[type]?.members.includes(name);
const LISTED = Object.keys(RECORD.moves.list.fields);
const ENDED = Object.keys(RECORD.ended.maybe.fields);
const LOOK = /^{"what":"(cards|moves|token)","by":"(app|auditor)","seat":(null|\d+)}$/;

const marked = entry => (entry.type === "said" ? Object.keys(MARKED).find(name => name in entry) : undefined);

export function upcast(entry) {
	const {of, asks, agrees} = entry.take_back ?? {};
	const take_back = asks ? "take_back_requested" : agrees ? "take_back_agreed" : "take_back_refused";
	const type = { vacation: "vacation_taken", replacement: "replacement_agreed", take_back }[marked(entry)];
	return type ? {...entry, of, type} : entry;
}

export function verifyTable(record) {
	const written = record.entries ?? [];
	const entries = () => written.map(upcast);
	return [
		checked("times", () => wrongTime(record)),
		checked("order", () => wrongOrder(record, entries())),
		checked("seats", () => wrongSeat(entries())),
		checked("consent", () => withoutConsent(entries()) ?? wrongHandover(entries(), record.seed != null)),
		checked("clocks", () => wrongClock(entries())),
		checked("members", () => unknownMember(record, written)),
		...verifyDealing(record),
	];
}

function wrongTime({entries = []}) {
	let before = -Infinity;
	for (const {seq, at, looks = []} of entries) {
		const time = moment(at);
		const times = [...looks.map(look => moment(look.at)), time];
		if (time < before || times.some((each, i) => each < times[i - 1])) return fault("a time in it is later than the entry", seq);
		before = time;
	}
	return null;
}

function wrongOrder({ended = null}, entries) {
	let [stage, resigns, last, ends, finished] = ["nothing", true, null, [], null];
	for (const entry of entries) {
		const {seq, type, pace} = entry;
		const declared = TYPES[type];
		if (!declared?.stages.includes(stage)) return fault(`${type} is impossible here: the game is ${stage}`, seq);
		if (type === "finished" && stage === "running" && last !== "moved") return fault("does not follow from a move", seq);
		if (pace) resigns = pace.on_timeout === "resign";
		if (declared.then && (resigns || !declared.resigns)) {
			stage = declared.then;
			if (/resigned|timed_out|cancelled/.test(type)) ends.push(entry);
		}
		if (type === "finished") finished = entry;
		if (type !== "said") last = type;
	}
	if (/nothing|given up|timed out|forfeited/.test(stage)) return fault("the log ends too early");
	const seats = ends.map(end => end.seat);
	const due = {type: ends[0]?.type, seat: seats[0], ...(ends[1] && {seats})};
	const isSame = Object.keys(due).every(name => canonical(ended?.[name] ?? null) === canonical(due[name] ?? null));
	if (!isSame || new Set(seats).size !== seats.length) return fault("the record does not end as its log does");
	const {seq, result} = finished ?? {};
	const isGivenUp = /^(resigned|timed_out)$/.test(result?.reason) && seats.every(seat => result.losers.includes(seat));
	return !seq || (result && isGivenUp === seats.length > 0) ? null : fault("the result does not fit the end", seq);
}

const isSomebody = ({player, bot}, mayBeNobody) => (player == null ? Boolean(bot) || mayBeNobody : bot == null && Boolean(player.id && player.name));

function wrongSeat(entries) {
	const {seats} = entries[0];
	let running = false;
	return seated(entries, (entry, holders) => {
		running ||= entry.type === "started";
		if (/joined|left/.test(entry.type) && Boolean(entry.replaced) !== running) return "a seat changes hands at the wrong time";
		if (entry.type === "joined") {
			if (holders.has(entry.seat) || !(entry.seat < seats)) return "joins a seat that is not free";
			return isSomebody(entry, "origin" in entries[0]) ? null : "is taken by nobody, or by a player and a bot";
		}
		const about = (entry.nudge ?? entry.replacement)?.seat ?? 0;
		if (!(about >= 0 && about < seats)) return "is about a seat that the table does not have";
		if (entry.type === "started" && holders.size !== seats) return "starts while seats are free";
		if (!has(entry.type, "seat")) return null;
		if (entry.seat == null && entry.type === "said") return entry.player == null ? null : "a player without a seat";
		const held = holders.get(entry.seat);
		return held && who(held) === who(entry) ? null : `names another player than the one who holds seat ${entry.seat}`;
	});
}

// In nanoseconds.
const DAY = 86400000000000n;
const WEEK = 7n * DAY;

// The first of January 1970 was a Thursday.
const inWeek = at => (at + 3n * DAY) % WEEK;
const afterWeekend = at => (inWeek(at) < 5n * DAY ? at : at - inWeek(at) + WEEK);

const LATEST = moment("9999-12-30T00:00:00Z");
const bounded = at => (at < LATEST ? at : LATEST);

function later(start, length, quiet) {
	if (!quiet) return start + length;
	const begin = afterWeekend(start);
	let [weeks, rest] = [length / (5n * DAY), length % (5n * DAY)];
	if (weeks && !rest) [weeks, rest] = [weeks - 1n, 5n * DAY];
	const at = begin + weeks * WEEK;
	return rest <= 5n * DAY - inWeek(at) ? at + rest : at + rest + 2n * DAY;
}

function between(start, end, quiet) {
	const begin = quiet ? afterWeekend(start) : start;
	if (end <= begin) return 0n;
	if (!quiet) return end - begin;
	const [weeks, rest] = [(end - begin) / WEEK, (end - begin) % WEEK];
	const beyond = rest - (5n * DAY - inWeek(begin));
	return weeks * 5n * DAY + rest - (beyond <= 0n ? 0n : beyond < 2n * DAY ? beyond : 2n * DAY);
}

function wrongClock(entries) {
	let [pace, before] = [entries[0]?.pace ?? null, -Infinity];
	const isPace = ({vacation_days: days = 0, ...of}) => ["per_move", "warn_before", "reserve", "increment", "own_hours"].map(name => duration(of[name]))
		&& days >= 0 && days <= 365 && /^(resign|random_move|bot)$/.test(of.on_timeout);
	const isEarly = of => !INNER.pace.slice(3).some(name => name in of);
	if (pace && !isPace(pace)) return fault("unknown kind of pace", 1);
	const inOrder = knows(entries, "names_late_in_order");
	if (pace && isEarly(pace)) return null;
	const clocks = Array.from({length: entries[0]?.seats ?? 0}, () => ({reserve: duration(pace?.reserve), away: 0n,
		deadline: null, days: pace?.vacation_days ?? 0}));
	let [counted, due, made, paused, earned] = [pace !== null, new Set(), false, false, []];
	for (const { seq, type, seat, at, random, of, since, added, deadlines = {}, delays = {}, reserve = {}, vacation, ...more } of entries) {
		const clock = clocks[seat];
		if (type === "imported") counted = false;
		if (!counted) {
			const named = /^(timed_out|paused|time_.*|timeout_.*|pace_.*)$/.test(type) || random || vacation || [deadlines, delays, reserve].some(of => Object.keys(of).length);
			if (named) return fault("has times in a game without deadlines", seq);
			continue;
		}
		if (paused && !/^(said|resumed|resigned|finished|cancelled)$/.test(type)) return fault("the game is paused", seq);
		const now = moment(at);
		const present = ({away}) => (away > now ? away : now);
		if (type === "pace_changed" && (isEarly(pace = more.pace) || !isPace(pace))) return fault("unknown kind of pace", seq);
		const [quiet, down, earlier] = [pace.quiet_weekends, since && moment(since), before];
		before = now;
		const isLost = since && down >= earlier && down <= now && Object.keys(deadlines).length;
		if (type === "time_returned" && !isLost) return fault("returns time that nobody lost", seq);
		if (type === "time_added" && Object.keys(deadlines).join() !== `${added?.seat}`) return fault("adds time for another seat", seq);
		const forced = type === "moved" && Boolean(random);
		if (due.size && !made && !forced && type !== "timed_out") return fault(`no move was made for seat ${[...due][0]}`, seq);
		for (const other of inOrder && forced ? due : []) {  // a move may have ended the turns of those before this seat
			if (other === seat) break;
			if (!made) return fault(`seat ${other} was late before`, seq);
			due.delete(other);
		}
		if (forced && !due.delete(seat)) return fault("nobody's time was over", seq);
		if (!forced && (made || type !== "timed_out")) due.clear();
		made = forced;
		if (type === "timed_out" && !(clock?.deadline <= now)) return fault(`the time of seat ${seat} was not over`, seq);
		if (type === "timed_out" && pace.on_timeout !== "resign") {
			const isEarlier = other => clocks[other].deadline > clock.deadline || (clocks[other].deadline === clock.deadline && other > seat);
			if (due.has(seat) || (inOrder && [...due].some(isEarlier))) return fault(`seat ${seat} was late before others`, seq);
			due.add(seat);
		}
		const tooLong = ([number, delay]) => !deadlines[number] || !duration(delay) || duration(delay) > duration(pace.own_hours);
		if (Object.entries(delays).some(tooLong)) return fault("a deadline is delayed wrongly", seq);
		const back = /taken_back|timeout_undone/.test(type);
		const lost = back && knows(entries, "returns_increments") ? earned.filter(each => each.seq >= of) : [];
		earned = earned.filter(each => !(back && each.seq >= of));
		if (lost.some(each => each.time && !(each.number in reserve))) return fault("an increment is kept, or a reserve not given back", seq);
		for (const [number, left] of Object.entries(reserve)) {
			const spent = clocks[number];
			let rest = spent.deadline === null ? spent.reserve : between(present(spent), spent.deadline, quiet);
			if (rest > spent.reserve) rest = spent.reserve;
			const moves = type === "moved" && Number(number) === seat && spent.deadline !== null;
			const time = !moves ? 0n : random ? rest - spent.reserve : duration(pace.increment);
			if (!random) rest += time;
			earned.push({seq, number, time});
			for (const each of lost) if (each.number === number) rest = rest > each.time ? rest - each.time : 0n;
			if (rest === spent.reserve && !pace.increment || rest !== duration(left)) return fault(`the reserve of seat ${number} is wrong`, seq);
			spent.reserve = rest;
		}
		if (vacation) {
			const begun = present(clock);
			const until = begun + BigInt(vacation.days) * DAY;
			clock.days -= vacation.days;
			if (vacation.days < 1 || clock.days < 0 || vacation.left !== clock.days) return fault("too many days off", seq);
			if (moment(vacation.until) !== until) return fault("the days off end at another time", seq);
			clock.away = until;
			const moved = clock.deadline && bounded(later(until, between(begun, clock.deadline, quiet), quiet) + duration(delays[seat]));
			if (Object.keys(deadlines).some(each => Number(each) !== seat || moment(deadlines[each]) !== moved)) return fault("the deadline moves wrongly", seq);
			clock.deadline = seat in deadlines ? moved : null;
			continue;
		}
		if (type === "left") Object.assign(clock, {deadline: null, away: 0n});
		if (type === "moved") clock.deadline = null;
		const stopped = since ? down : now;
		for (const each of type === "paused" || since ? clocks : [])
			Object.assign(each, {left: each.deadline && between(each.away > stopped ? each.away : stopped, each.deadline, quiet), deadline: null});
		paused = type === "paused" || (paused && type !== "resumed");
		for (const [number, deadline] of Object.entries(deadlines)) {
			const begins = clocks[number];
			const length = type === "resumed" || since ? begins.left : added ? duration(added.time) : duration(pace.per_move) + begins.reserve;
			begins.deadline = bounded(later(added ? begins.deadline : present(begins), length, quiet) + duration(delays[number]));
			if (moment(deadline) !== begins.deadline) return fault(`the deadline of seat ${number} is wrong`, seq);
		}
	}
	return null;
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
		const old = knows(entries, "has_own_types") ? null : MARKED[marked(entry)];
		const more = beyond(entry, [...EVERY, ...(TYPES[entry.type]?.members ?? []), ...(old ?? [])]) ?? inside(entry);
		if (more) return fault(`an entry of type ${entry.type} has no member ${more}`, entry.seq);
		const mark = MARKS.find(name => (entry[name] ?? true) !== true);
		if (mark) return fault(`${mark} can only be true`, entry.seq);
		const wrong = mistypedInEntry(entry);
		if (wrong) return fault(`${wrong} has a value of another type`, entry.seq);
		const isLook = ({what, by, seat, ...other}) => !(seat >= record.seats) && LOOK.test(JSON.stringify({what, by, seat})) && moment(other.at) && !beyond(other, ["at"]);
		if (!(entry.looks ?? []).every(isLook)) return fault("an invalid look", entry.seq);
	}
	return null;
}
