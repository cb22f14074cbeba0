// @ts-check
// A second verifier, independent of the referee's and without its rules. `verify(record)` gives {checks: [{name,
// ok, detail, seq}]}.
// It has its own hash function, because browsers offer theirs only over HTTPS.

import {DECLARED} from "./declared.js";
import {bytes, canonical, hex, hmac, sha256, uint32, utf8} from "./encoding.js";

export function verify(record) {
	const entries = record.entries ?? [];
	if (entries[0]?.log !== undefined) throw new Error(`The log has the number ${entries[0].log}: here only 1 is known, which is not written.`);
	const checks = [];
	const check = (...of) => checks.push(checked(...of));
	check("sequence", () => gap(entries), `${entries.length} entries`);
	check("chain", () => brokenLink(entries));
	check("terms", () => wrongOrigin(record, entries));
	if (record.test_clock) check("test_clock", () => null);
	check("result", () => wrongEnd(record, entries));
	if (record.seed == null) {
		check("sealed", () => wrongSeal(record, entries), erasedIn(record));
		const isOver = entries.some?.(entry => /^(finished|cancelled)$/.test(entry?.type));
		if (isOver) check("commitment", () => fault("the game is over, and its seed is not shown: whoever hides it may have rigged the deal"));
		return {checks};
	}
	const seed = bytes(record.seed);
	check("commitment", () => wrongSeed(record, entries, seed));
	check("sealed", () => wrongSeal(record, entries, seed), erasedIn(record));
	check("moves", () => wrongMove(record, entries));
	if (record.chance != null) {
		check("chance", () => wrongOutcome(record, entries, seed));
		check("dealt", () => wrongDeal(record, entries));
	}
	return {checks};
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param {string} detail  @param {number | null} [seq]  @returns {import("../types.d.ts").Fault} */
export const fault = (detail, seq = null) => ({detail, seq});

/** A check by a test that finds a fault, or nothing. */
export function checked(name, test, detail = "") {
	let found;
	try { found = test(); } catch (error) { found = fault(`cannot be read: ${error.message}`); }
	return {name, ok: !found, detail, seq: null, ...found};
}

export function moment(text) {
	const [, seconds, fraction = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text) ?? [];
	return BigInt(Date.parse(`${seconds}Z`)) * 1000000n + BigInt(fraction.padEnd(9, "0"));
}

/** @returns {bigint} */
export function duration(text) {
	if (text == null) return 0n;
	const found = /** @type {RegExpExecArray} */ (/^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?$/.exec(text));
	const [weeks, days, hours, minutes, seconds] = found.slice(1, 6).map(digits => BigInt(digits ?? 0));
	const whole = ((weeks * 7n + days) * 24n + hours) * 3600n + minutes * 60n + seconds;
	return whole * 1000000000n + BigInt((found[6] ?? "").padEnd(9, "0"));
}

function gap(entries) {
	const at = entries.findIndex((entry, i) => entry.seq !== i + 1);
	return at < 0 && entries.length ? null : fault(`entry ${at + 1} is missing or in the wrong place`, at + 1);
}

function brokenLink(entries) {
	let previous = new Uint8Array(32);
	for (const [i, { hash, private: _, ...open }] of entries.entries()) {
		previous = sha256(previous, canonical(open));
		if (hex(previous) !== hash) return fault("the hash does not match this entry and the one before", i + 1);
	}
	return null;
}

function wrongOrigin({format, ruleset, version, seats, options = {}, entropy, origin, imported_by: by, test_clock}, entries) {
	const [begun] = entries;
	const same = (one, other) => canonical(one ?? null) === canonical(other ?? null);
	if (format !== "card-referee/1") return fault("the record is of an unknown format");
	const isGame = begun.ruleset === ruleset && begun.seats === seats && begun.ruleset_version === (version ?? begun.ruleset_version);
	if (!isGame || !begun.options || canonical(options) !== canonical(begun.options)) {
		return fault("the record is of another game than its log", 1);
	}
	if (canonical(entropyOf({seats}, entries)) !== canonical(entropy ?? Array(seats).fill(""))) return fault("the seats gave other entropy");
	if (test_clock != null && !UUID.test(test_clock)) return fault("names a test clock that is none");
	if (!same(begun.test_clock, test_clock)) return fault("log and record differ in test_clock", 1);
	if ("imported_by" in begun !== (begun.origin === "imported")) return fault("says that the game was imported, or by whom, not both", 1);
	if (origin === "imported") return null;
	if (begun.origin === "imported") return fault("the log says that the game was imported, the record does not", 1);
	return (origin ?? "dealt") === "dealt" && by == null ? null : fault("invalid origin");
}

function wrongEnd(record, entries) {
	const end = entries.find(entry => entry.type === "finished");
	const [named, ended] = [record.result, end?.result].map(result => canonical(result ?? null));
	if (named !== ended) return fault("the record's result is not that of its log", end?.seq);
	return end && end.seed !== record.seed ? fault("another seed was revealed", end.seq) : null;
}

function wrongSeed(record, entries, seed) {
	const due = hex(sha256(seed));
	const named = [entries[0].commitment, record.commitment ?? due];
	return named.every(commitment => commitment === due) ? null : fault("the seed hashes to something else", 1);
}

/** Whether a text of an entry was erased: only its seal is left. */
export const isErased = ({seals, private: shares}) => Boolean(seals?.all && !shares?.all);

/** Whether an entry has a text: nothing else of it can be erased, such as the signature. */
const hasText = ({ruleset}, {type, move}) => type === "said" || (type === "moved" && DECLARED.texts[ruleset]?.includes(move?.type));

const newcomer = entry => (/^(joined|replacement_agreed)$/.test(entry.type) ? (entry.replacement ?? entry).player : null);

/** How many people and texts were erased, in words. */
export function erasedIn({names, entries = []}) {
	const unnamed = names ? entries.filter((entry, i) => newcomer(entry) && !names[i + 1]) : [];
	const people = new Set(unnamed.map(entry => newcomer(entry).id)).size;
	const texts = entries.filter(isErased).length;
	const parts = [people === 1 ? "names of one person" : people && `names of ${people} people`, texts === 1 ? "one text" : texts && `${texts} texts`];
	return people + texts ? `${parts.filter(Boolean).join(" and ")} erased` : "";
}

// An entry has only the hash of a newcomer's name, which stands beside the log until it is erased.
function wrongName(record, entries) {
	for (const [i, entry] of entries.entries()) {
		const [player, named] = [newcomer(entry), record.names?.[i + 1]];
		if (entry.player?.commitment && entry.player !== player) return fault("has the hash of a name, and it is nobody who comes", i + 1);
		if (Boolean(player) !== Boolean(player?.commitment)) return fault("does not have the hash of the newcomer's name", i + 1);
		if (named && hex(sha256(canonical(named))) !== player?.commitment) return fault("the name of the newcomer is another one", i + 1);
	}
	const strange = entries.length && Object.keys(record.names ?? {}).find(number => !entries[Number(number) - 1]);
	return strange === undefined || strange === 0 ? null : fault("names somebody who did not come");
}

// Without the seed only what a seat was shown can be checked, where each share has a seal.
/** @param {Uint8Array | null} [seed] */
function wrongSeal(record, entries, seed = null) {
	const misnamed = wrongName(record, entries);
	if (misnamed) return misnamed;
	for (const [i, entry] of entries.entries()) {
		if (entry.sealed === undefined && entry.private === undefined && entry.seals === undefined) continue;
		if (entry.sealed === undefined) return fault("has a private part that was not sealed", i + 1);
		if (entry.seals?.all && !hasText(record, entry)) return fault("seals a text, and has none", i + 1);
		const said = entry.private?.all;
		if (said && !((entry.type === "said" ? "text" : "move") in said)) return fault("the share of everybody has no text", i + 1);
		if (said && !said.salt) return fault("a text has no salt", i + 1);
		for (const [seat, share] of Object.entries(entry.private ?? {})) {
			if (hex(sha256(canonical(share))) !== entry.seals?.[seat]) return fault(`seat ${seat} was shown another share`, i + 1);
			const due = seed && seat !== "all" && hex(hmac(seed, "salt", uint32(i + 1), uint32(Number(seat)))).slice(0, 32);
			if (due && share.salt !== due) return fault(`the share of seat ${seat} has another salt`, i + 1);
		}
		if (!seed) continue;
		const missing = Object.keys(entry.seals ?? {}).filter(seat => !entry.private?.[seat]);
		if (missing.some(seat => seat !== "all")) return fault("the private part is missing", i + 1);
		const due = hex(sha256(hmac(seed, "salt", uint32(i + 1)), canonical(entry.private ?? null)));
		if (!isErased(entry) && entry.sealed !== due) return fault("the private part is not what was sealed", i + 1);
	}
	return null;
}

function standing(entries, types) {
	const back = entries.filter(entry => /taken_back|timeout_undone/.test(entry.type));
	return entries.filter(({seq, type}) => types.test(type) && !back.some(entry => entry.of <= seq && seq < entry.seq));
}

function wrongMove(record, entries) {
	const made = standing(entries, /moved/);
	for (const [i, entry] of made.entries()) {
		const {seq, seat, move, private: shares} = entry;
		const listed = [record.moves[i]?.seat, record.moves[i]?.move];
		const added = isErased(entry) ? Object.entries(listed[1] ?? {}).filter(([name, value]) => !(name in move) && value === "…") : [];
		const due = [seat, shares?.[seat]?.move ?? shares?.all?.move ?? {...move, ...Object.fromEntries(added)}];
		if (canonical(due) !== canonical(listed)) return fault("the record lists another move", seq);
		const beside = Object.entries({number: "seq", time: "at", hash: "hash"}).find(([, name]) => (record.moves[i][name] ?? made[i][name]) !== made[i][name]);
		if (beside) return fault(`the record lists another ${beside[0]} of this move`, seq);
	}
	return made.length === record.moves.length ? null : fault("the record lists more moves than were made");
}

export function entropyOf({seats}, entries) {
	const entropy = Array(seats).fill("");
	for (const {type, seat, entropy: given = ""} of entries) {
		if (type === "started") break;
		if (/joined|revealed/.test(type)) entropy[seat] = given;
		if (type === "left") entropy[seat] = "";
	}
	return entropy;
}

function wrongOutcome(record, entries, seed) {
	const entropy = entropyOf(record, entries);
	const given = entropy.map(text => utf8.encode(text)).flatMap(of => [of.length, ...of]);
	const key = hmac(seed, "card-referee/1", Uint8Array.from(given));
	for (const [k, outcome] of record.chance.entries()) {
		const below = numbers(key, k);
		const due = outcome.shuffle ? {shuffle: shuffled(outcome.shuffle, below)} : {pick: below(outcome.of), of: outcome.of};
		if (canonical(outcome) !== canonical(due)) return fault(`outcome ${k} of chance does not follow from the seed`);
	}
	return null;
}

export function numbers(key, k) {
	/** @type {DataView} */
	let view;
	let at = 0;
	return n => {
		if (!(n >= 1 && n <= 2 ** 32)) throw new Error(`there is no outcome of ${n}`); // no word would ever fit
		for (;; ) {
			if (at % 32 === 0) view = new DataView(hmac(key, uint32(k), uint32(at / 32)).buffer);
			const word = view.getUint32(at % 32);
			at += 4;
			if (word < Math.floor(2 ** 32 / n) * n) return word % n;
		}
	};
}

export function shuffled(cards, below) {
	const order = [...cards].sort(); // as cards are ASCII, by code point
	for (let i = order.length - 1; i > 0; i--) {
		const j = below(i + 1);
		[order[i], order[j]] = [order[j], order[i]];
	}
	return order;
}

// Cards are dealt from a shuffled deck (from: null), in its order, until it is empty, and go from zone
// to zone; all seats see the same. Cards that nobody has seen are undefined.
function wrongDeal(record, entries) {
	const shuffles = record.chance.flatMap(({shuffle}) => (shuffle ? [shuffle] : []));
	/** @type {Record<string, any[]>} */
	const zones = {};
	const take = (/** @type {any[]} */ from, card) => from.includes(card) && from.splice(from.indexOf(card), 1);
	for (const {seq, transfers, private: shares = {}} of standing(entries, /started|moved/)) {
		/** @type {string[][]} */
		let [deck, pool] = [[], []];
		let left = 0;
		const shown = [transfers, ...Object.values(shares).map(share => share.transfers ?? transfers)];
		for (const [i, {from, to, cards}] of transfers.entries()) {
			const known = cards.map((_, j) => shown.map(each => each[i].cards[j]).find(card => card !== null));
			const isOther = (/** @type {any[]} */ {[i]: each}) => each.from !== from || each.to !== to || each.cards.some((card, j) => card !== null && card !== known[j]);
			if (shown.some(isOther)) return fault("seats were shown different things", seq);
			if (from === null && !left) [deck, pool] = [shuffles[0] ?? [], [...shuffles.shift() ?? []]];
			if (from === null) left = (left || deck.length) - cards.length;
			const zone = zones[String(from)] ??= [];
			let at = 0;
			for (const card of known) {
				if (card === undefined) zone.fill(undefined); // it may be any
				const fits = from !== null ? take(zone, card) || take(zone, undefined) : card === undefined || ((at = deck.indexOf(card, at) + 1) && take(pool, card));
				if (!fits) return fault(`${card ?? "a card"} was not there`, seq);
			}
			if (to !== null) (zones[to] ??= []).push(...known);
		}
		if (left) return fault("not all shuffled cards were dealt", seq);
	}
	return shuffles.length ? fault("a shuffle was never dealt") : null;
}
