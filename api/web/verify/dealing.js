// @ts-check
// How a deal came about: entropy that seats have committed to, and a round of a public beacon.

import {DECLARED} from "./declared.js";
import {canonical, hex, sha256} from "./encoding.js";
import {checked, duration, fault, moment} from "./verify.js";

const commits = entry => entry?.type === "revealed" || (entry?.type === "joined" && entry.commitment !== undefined);

/** The checks for deals that nobody can choose, if this is one. */
export function verifyDealing(record) {
	const {entries = []} = record;
	const checks = [];
	const isCommitted = ["entropy", "reveal_within"].some(name => entries[0]?.[name] !== undefined) || entries.some?.(commits);
	if (isCommitted) checks.push(checked("entropy", () => wrongEntropy(entries)));
	if (entries[0]?.beacon || record.randomness || entries.some?.(entry => entry?.randomness)) checks.push(checked("beacon", () => wrongRound(record, entries), "its key and signature are not checked here"));
	return checks;
}

function wrongEntropy(entries) {
	const [due, [{entropy: kind, reveal_within: within, seats}]] = [new Map(), entries];
	const length = duration(within);
	let [free, until, isRunning] = [seats, 0n, false];
	if (kind !== "commit" || !within) return fault("does not say how entropy is given", 1);
	for (const {type, seq, at, seat, bot, commitment, entropy} of entries) {
		if (isRunning && type === "joined" && (commitment !== undefined || entropy)) return fault("gives entropy when all is dealt", seq);
		if (isRunning) continue;
		if (type === "joined") {
			if (!--free) until = moment(at) + length;
			const isOwn = bot ? commitment === undefined : commitment && ![...due.values()].includes(commitment);
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

/** Whether a chain of rounds can be one, and the public one has its own times, so that no old round passes for the next. */
function isChain(chain) {
	const {fields, public: known} = DECLARED.beacon;
	const fits = (/** @type {[string, any]} */ [name, {pattern, minimum, maximum}]) => name in chain
		&& (pattern ? new RegExp(pattern).test(chain[name]) : !(chain[name] < minimum || chain[name] > maximum));
	return Object.entries(fields).every(fits) && (chain.public_key !== known.public_key || canonical(chain) === canonical(known));
}

function wrongRound({randomness = null}, entries) {
	const drawn = entries.find(({type}) => type === "started")?.randomness ?? null;
	const [{beacon, seats}] = entries;
	if (canonical(drawn) !== canonical(randomness) || (!beacon && drawn)) return fault("the record names another round than its log");
	if (beacon && !isChain(beacon)) return fault("an unknown kind of beacon, or the public one with other times", 1);
	const started = entries.find(({type}) => type === "started");
	if (!beacon || !started) return null;
	if (!drawn) return fault("the deal needs a round", started.seq);
	let [taken, settled] = [0, 0n];
	for (const {type, at} of entries.slice(0, started.seq)) {
		taken += type === "joined" ? 1 : type === "left" ? -1 : 0;
		if (/joined|revealed/.test(type) && taken === seats) settled = moment(at);
	}
	const [first, period] = [BigInt(beacon.genesis_time), BigInt(beacon.period)].map(seconds => seconds * 1000000000n);
	const due = settled < first ? 1n : (settled - first) / period + 2n;
	const isDue = BigInt(drawn.round) === due && moment(started.at) >= first + (due - 1n) * period;
	return isDue ? null : fault("another round, or one that was not published yet", started.seq);
}
