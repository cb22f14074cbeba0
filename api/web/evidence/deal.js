// @ts-check
// How a game was dealt, step by step: from what the server and the seats have given to the order of the cards.

import {bytes, canonical, hex, hmac, join, sha256, utf8} from "../verify/encoding.js";
import {entropyOf, numbers, shuffled} from "../verify/verify.js";

const isHex = text => /^([0-9a-f]{2})+$/.test(text);

/** What a deal follows from: the seed and each seat's entropy, as a record has them. */
export function givenIn(record) {
	return {seed: record.seed, entropy: entropyOf(record, record.entries)};
}

/** Work a deal through. Each step has what was computed, what the record says, and whether both agree (null: nothing to compare). */
export function deal(record, given) {
	if (!isHex(given.seed)) throw new Error("The seed must be hexadecimal digits.");
	const seed = bytes(given.seed);
	const commitment = hex(sha256(seed));
	const promised = record.entries[0].commitment;
	const key = keyOf(seed, given);
	return {
		commitment: {computed: commitment, recorded: promised, ok: commitment === promised},
		seats: given.entropy.map((entropy, seat) => ofSeat(record, seat, entropy)),
		key: hex(key),
		outcomes: record.chance.map((outcome, k) => ({k, recorded: outcome, ...outcomeOf(key, k, outcome)})),
	};
}

function keyOf(seed, {entropy}) {
	const texts = entropy.map(text => utf8.encode(text));
	const parts = texts.flatMap(text => [Uint8Array.of(text.length), text]);
	return hmac(seed, join(["card-referee/1", ...parts]));
}

function ofSeat(record, seat, entropy) {
	const before = record.entries.slice(0, record.entries.findIndex(({type}) => type === "started") + 1 || undefined);
	const joined = before.findLast(entry => entry.type === "joined" && entry.seat === seat);
	const promised = joined?.commitment ?? null;
	const computed = promised && hex(sha256(utf8.encode(entropy)));
	return {seat, player: joined?.player ? {...joined.player, name: record.names?.[joined.seq]?.name ?? null} : null, bot: joined?.bot ?? null, entropy, computed, recorded: promised, ok: promised && computed === promised};
}

function outcomeOf(key, k, outcome) {
	const below = numbers(key, k);
	/** @type {{n: number, pick: number}[]} */
	const picks = [];
	const noted = n => {
		const pick = below(n);
		picks.push({n, pick});
		return pick;
	};
	const computed = outcome.shuffle ? {shuffle: shuffled(outcome.shuffle, noted)} : {pick: noted(outcome.of), of: outcome.of};
	return {computed, picks, ok: canonical(computed) === canonical(outcome)};
}
