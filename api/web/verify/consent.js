// @ts-check
// What seats have to agree to: take-backs, pauses, and that somebody takes over a seat.

import {DECLARED} from "./declared.js";
import {canonical} from "./encoding.js";
import {fault, knows} from "./verify.js";

const CONSENT = /^take_back_/;

export const who = ({player, bot}) => JSON.stringify([player?.id ?? player ?? null, player?.name ?? null, bot ?? null]);

// By the id alone: a player may get another name between two votes.
const newcomer = ({player, bot}) => JSON.stringify([player?.id ?? player ?? null, bot ?? null]);

/** The first fault that `see(entry, holders)` finds; `holders` are those before the entry. */
export function seated(entries, see) {
	const holders = new Map();
	for (const entry of entries) {
		const found = see(entry, holders);
		if (found) return fault(found, entry.seq);
		if (entry.type === "joined") holders.set(entry.seat, entry);
		if (entry.type === "left") holders.delete(entry.seat);
		if (entry.type === "imported") for (const [seat, held] of holders) holders.set(seat, {...held, player: null});
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
		if (DECLARED.types[type]?.aside) return null;
		const against = agreed => [...holders].find(([number, held]) => held.player && !agreed.has(number))?.[0];
		if (type === "paused" && against(pausing) !== undefined) return `seat ${against(pausing)} has not agreed`;
		pausing = new Set();
		const request = asked;
		asked = null;
		if (type === "timed_out") late.set(seat, seq);
		if (type === "moved" && entry.random) forced.set(seq, canonical({seat, timed_out: late.get(seat)}));
		if (type === "moved") made.push(entry);
		else if (type === "timeout_undone") {
			if (!forced.has(of) || forced.get(of) !== canonical(undone)) return "undoes a time-out that was none";
			if (made.at(-1)?.seq !== of) return "undoes a time-out although a seat has acted since";
			if (!knows(entries, "undoes_timeouts")) return "time-outs are not undone in logs of this number";
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
	const [votes, late] = [new Map(), new Set()];
	/** @type {{seat: number, to: string} | null} */
	let left = null;
	const found = seated(entries, (entry, holders) => {
		const {type, seat, replacement: to} = entry;
		if (left && (type !== "joined" || seat !== left.seat)) return `seat ${left.seat} was left, and nobody has taken it at once`;
		if (left?.to && left.to !== newcomer(entry)) return "takes over a seat that the others have given to somebody else";
		left = null;
		if (type === "left" && entry.agreed && !entry.replaced) return "nobody has to agree before the start";
		if (type === "left" && entry.replaced) {
			const others = [...holders].filter(([number, {player}]) => player && number !== seat);
			const named = new Set(others.map(([number]) => votes.get(seat)?.get(number)));
			left = {seat, to: entry.agreed && [...named][0]};
			if (entry.agreed && !(named.size === 1 && left.to)) return `seat ${seat} is handed over, and not all others have agreed`;
			if (!entry.agreed && knows(entries, "says_who_hands_over") && entry.by !== "app") return `who has decided that seat ${seat} changes hands?`;
		}
		if (type === "replacement_agreed") votes.set(to.seat, new Map(votes.get(to.seat)).set(seat, newcomer(to)));
		if (type === "imported") votes.clear();
		if (type === "timed_out") late.add(seat);
		for (const of of type === "joined" ? votes.values() : []) of.delete(seat);
		if (type === "joined" || (type === "moved" && !(entry.random && late.has(seat)))) {
			late.delete(seat);
			votes.delete(seat);
		}
		return null;
	});
	const last = /** @type {{seat: number} | null} */ (left);
	return found ?? (isOver && last && fault(`seat ${last.seat} was left, and nobody has taken it`));
}
