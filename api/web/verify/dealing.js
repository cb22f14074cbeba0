// @ts-check
// How a deal came about: entropy that seats have committed to.

import {hex, sha256} from "./encoding.js";
import {checked, duration, fault, moment} from "./verify.js";

const commits = entry => entry?.type === "revealed" || (entry?.type === "joined" && entry.commitment !== undefined);

/** The checks for deals that nobody can choose, if this is one. */
export function verifyDealing(record) {
	const {entries = []} = record;
	const checks = [];
	const isCommitted = ["entropy", "reveal_within"].some(name => entries[0]?.[name] !== undefined) || entries.some?.(commits);
	if (isCommitted) checks.push(checked("entropy", () => wrongEntropy(entries)));
	return checks;
}

function wrongEntropy(entries) {
	const [due, [{entropy: kind, reveal_within: within, seats}]] = [new Map(), entries];
	const length = duration(within);
	let [free, until, before, isRunning] = [seats, 0n, 0n, false];
	if (kind !== "commit" || !within) return fault("does not say how entropy is given", 1);
	for (const {type, seq, at, since, seat, bot, commitment, entropy} of entries) {
		if (isRunning && type === "joined" && (commitment !== undefined || entropy)) return fault("gives entropy when all is dealt", seq);
		if (isRunning) continue;
		if (type === "time_returned") {
			if (free || !due.size || moment(since) < before || moment(since) > moment(at)) return fault("returns time that nobody lost", seq);
			until += moment(at) - moment(since);
		}
		before = moment(at);
		if (type === "joined") {
			if (!--free) until = moment(at) + length;
			const isOwn = bot ? commitment === undefined : commitment && ![hex(sha256("")), ...due.values()].includes(commitment);
			if (!isOwn || entropy) return fault("does not commit to entropy of its own", seq);
			if (!bot) due.set(seat, commitment);
		}
		if (type === "revealed" && (free || hex(sha256(entropy)) !== due.get(seat))) return fault("this is not what was committed to", seq);
		if (type === "forfeited" && free) return fault("had nothing to reveal", seq);
		const isLate = !free && moment(at) > until + 1000000000n;
		if (type === "revealed" ? isLate : type === "forfeited" && moment(at) < until) return fault("too late or too early", seq);
		if (type === "left") free += 1;
		if (/left|revealed|forfeited/.test(type) && !due.delete(seat) && type === "forfeited") return fault("had nothing to reveal", seq);
		if (type === "started" && due.size) return fault("a seat has not revealed", seq);
		isRunning = type === "started";
		const isNamed = type === "cancelled" && (isLate || entries.some(entry => entry.type === "forfeited"));
		if (isNamed && due.size) return fault("a seat that has not revealed is not named", seq);
	}
	return null;
}
