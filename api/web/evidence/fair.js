// @ts-check
// Whether a game was fair, in a sentence that can be read aloud: that of `referee fair`.

import {t} from "../texts.js";
import {verdictOf, vouchersOf} from "./bundle.js";
import {FAIR} from "./words.js";

const DAY = 86400000; // milliseconds, in which a game must be in the log of all games

/** What is said of a game that is called so; `time` says a time in words.
 * @param {import("./bundle.js").Promised[]} promises  @param {any} record  @param {string} game  @param {(at: string) => string} time */
export function fairness(promises, record, game, time) {
	const verdict = verdictOf(promises);
	if (verdict === "contradicted") return contradiction(promises.filter(({ok}) => ok === false), record, game);
	if (verdict === "not enough evidence yet") return lacking(promises.filter(({ok, needed}) => needed && ok === null), record, game, time);
	const words = verdict === "proved" ? FAIR.proved : FAIR.consistent;
	return t(words, {game, by: joined(vouchersOf(promises).map(voucher))});
}

function contradiction(broken, {seed}, game) {
	const is = wanted => broken.find(({name}) => name === wanted);
	if (!is("receipts") && is("commitment") && seed == null) return t(FAIR.unseeded, {game});
	const {name, seq: entry} = is("receipts") ?? [...broken].sort((one, other) => (one.seq ?? 1e9) - (other.seq ?? 1e9))[0];
	return t(FAIR[name] ?? (entry ? FAIR.by_entry : FAIR.by_record), {game, entry, check: name, receipt: FAIR.servers_receipt});
}

function lacking(missing, {entries = []}, game, time) {
	if (missing.some(({detail}) => detail.includes("/v1/log-keys"))) return t(FAIR.keys, {game});
	const name = ["inclusion", "witnessed", "receipts"].find(each => missing.some(one => one.name === each));
	const ended = Date.parse(entries.at(-1)?.at ?? "");
	const words = FAIR[`lacks_${name}`];
	return t(words, {game, until: Number.isNaN(ended) ? "" : time(new Date(ended + DAY).toISOString())});
}

function voucher(by) {
	const [demand, ...witnesses] = by.split(" (witnesses)");
	if (!witnesses.length) return FAIR.server;
	const [n, names] = demand.split(" of ");
	return names ? t(FAIR.quorum, {n, names}) : t(FAIR.witness, {names: n});
}

const joined = names => (names.length < 2 ? names.join("") : t(FAIR.and, {others: names.slice(0, -1).join(", "), last: names.at(-1)}));
