// @ts-check
// What seats have to agree to: take-backs, pauses, and that somebody takes over a seat.

import {DECLARED} from "./declared.js";
import {canonical} from "./encoding.js";
import {fault} from "./verify.js";

const CONSENT = /^take_back_/;

// By the id alone: a player may get another name between two votes.
export const who = ({player, bot}) => JSON.stringify([player?.id ?? player ?? null, bot ?? null]);

// A log that was written from a record does not say who agreed, or what was missed.
const isCopied = ([created]) => "origin" in created;

/** The first fault that `check(entry, holders)` finds; `holders` are those before the entry. */
export function seated(entries, check) {
	const holders = new Map();
	for (const entry of entries) {
		const found = check(entry, holders);
		if (found) return fault(found, entry.seq);
		if (entry.type === "joined") holders.set(entry.seat, entry);
		if (entry.type === "left") holders.delete(entry.seat);
	}
	return null;
}

export function withoutConsent(entries) {
	/** @type {import("../types.d.ts").Entry[]} */
	let made = [];
	/** @type {{of: number, seat: number, agreed: Set<number>} | null} */
	let asked = null;
	/** @type {Set<number>} */
	let pausing = new Set();
	let barrier = 0;
	/** @type {Map<number, string>} */
	let endings = new Map();
	const [late, forced] = [new Map(), new Map()];
	return seated(entries, (entry, holders) => {
		const {seq, type, seat, of, undone} = entry;
		if (type === "take_back_requested") {
			asked = {of, seat, agreed: new Set([seat])};
			return made.findLast(move => move.seat === seat)?.seq === of ? null : "asks for a move that is not its last";
		}
		if (CONSENT.test(type) && asked?.of !== of) return "answers a request that nobody made";
		if (type === "take_back_agreed") asked?.agreed.add(seat);
		if (type === "take_back_refused") asked = null;
		if (type === "pause_agreed") pausing.add(seat);
		if (type === "ending_agreed") endings.set(seat, entry.ending);
		if (DECLARED.types[type]?.aside) return null;
		const against = agreed => [...holders].find(([number, held]) => held.player && !agreed.has(number))?.[0];
		const isPlayed = [...holders.values()].some(held => held.player);
		if (type === "cancelled" && entry.reason && isPlayed) return "is called off as endless, and not only bots play";
		if (type === "paused" && against(pausing) !== undefined) return `seat ${against(pausing)} has not agreed`;
		if (!isCopied(entries) && (type === "drawn" || (type === "cancelled" && entry.agreed))) {
			const to = type === "drawn" ? "draw" : "cancellation";
			const missing = against(new Set([...endings].filter(([, ending]) => ending === to).map(([number]) => number)));
			if (missing !== undefined) return `seat ${missing} has not agreed`;
			if (!isPlayed) return "there is nobody who could agree";
		}
		[pausing, endings] = [new Set(), new Map()];
		const request = asked;
		asked = null;
		if (type === "timed_out") late.set(seat, seq);
		if (type === "moved" && entry.random) forced.set(seq, canonical({seat, timed_out: late.get(seat)}));
		if (type === "moved") made.push(entry);
		else if (type === "timeout_undone") {
			if (!forced.has(of) || forced.get(of) !== canonical(undone)) return "undoes a time-out that was none";
			if (made.at(-1)?.seq !== of) return "undoes a time-out although a seat has acted since";
			made.pop();
		}
		else if (type !== "taken_back") barrier = DECLARED.types[type]?.final ? seq : barrier;
		else {
			made = made.filter(move => move.seq < of);
			if (!request || request.of !== of || request.seat !== seat) return "nobody has asked to take this move back";
			const missing = against(request.agreed);
			if (missing !== undefined) return `seat ${missing} has not agreed`;
			if (of < barrier) return "a seat has run out of time since";
		}
		return null;
	});
}

// A seat changes hands because all others have agreed since its last own move, or by the app; and at once.
export function wrongHandover(entries, isOver) {
	const [votes, late, out] = [new Map(), new Map(), new Set()];
	/** @type {{seat: number, to: string, dropped?: boolean} | null} */
	let left = null;
	let pace = null;
	let before = "";
	const found = seated(entries, (entry, holders) => {
		const {type, seat, replacement: to, dropped} = entry;
		pace = entry.pace ?? pace;
		if ((type === "dropped" && !isCopied(entries)) || (dropped && type === "left")) {
			if (!out.has(seat)) return `seat ${seat} has not missed as many turns as the pace says`;
			if ((type === "dropped") === Boolean(pace.stand_in)) return "does not do what the pace says of seats that are out";
		}
		else if (out.size && !(type === "joined" && dropped)) {
			const isLate = type === "timed_out" && before === type && !out.has(seat);
			if (!isLate && type !== "finished" && !(type === "moved" && entry.random)) return `seat ${[...out][0]} is out, and was not taken out`;
		}
		if (/dropped|finished/.test(type)) out.clear();
		before = type;
		if (type === "joined" && Boolean(left?.dropped) !== Boolean(dropped)) return "does not say whether the seat was out";
		if (left && (type !== "joined" || seat !== left.seat)) return `seat ${left.seat} was left, and nobody has taken it at once`;
		if (left?.to && left.to !== who(entry)) return "takes over a seat that the others have given to somebody else";
		left = null;
		if (type === "left" && entry.agreed && !entry.replaced) return "nobody has to agree before the start";
		if (type === "left" && entry.replaced) {
			const others = [...holders].filter(([number, {player}]) => player && number !== seat);
			const named = new Set(others.map(([number]) => votes.get(seat)?.get(number)));
			left = {seat, dropped, to: dropped ? who({player: null, bot: pace.stand_in}) : entry.agreed && [...named][0]};
			if (dropped && entry.agreed) return "names two reasons why a seat changes hands";
			if (dropped) return null;
			if (entry.agreed && !(named.size === 1 && left.to)) return `seat ${seat} is handed over, and not all others have agreed`;
			if (!entry.agreed && entry.by !== "app") return `who has decided that seat ${seat} changes hands?`;
		}
		if (type === "replacement_agreed") votes.set(to.seat, new Map(votes.get(to.seat)).set(seat, who(to)));
		if (type === "timed_out") late.set(seat, (late.get(seat) ?? 0) + 1);
		if (type === "timed_out" && pace?.out_after && late.get(seat) >= pace.out_after) out.add(seat);
		if (type === "timeout_undone") {
			late.set(entry.undone.seat, Math.max(0, (late.get(entry.undone.seat) ?? 0) - 1));
			out.delete(entry.undone.seat);
		}
		if (type === "joined") out.delete(seat);
		for (const of of type === "joined" ? votes.values() : []) of.delete(seat);
		if (type === "joined" || (type === "moved" && !(entry.random && late.has(seat)))) {
			late.delete(seat);
			votes.delete(seat);
		}
		return null;
	});
	const last = /** @type {{seat: number} | null} */ (left);
	if (found || !isOver) return found;
	if (last) return fault(`seat ${last.seat} was left, and nobody has taken it`);
	return out.size ? fault(`seat ${[...out][0]} is out, and was not taken out`) : null;
}
