// @ts-check
// The verdict on a bundle: for each promise who guarantees it, and whether it is kept (`ok` null: that was not checked).

import {cosigners, demand, isBare, isMet, readNote, readPolicy, rootOf, signerOf, trusted, unsigned} from "./notes.js";
import {traces} from "../verify/traces.js";
import {verifyAll} from "../verify/verifier.js";
import {canonical, utf8} from "../verify/encoding.js";
import {erasedIn, moment} from "../verify/verify.js";
import {GUARANTORS} from "./words.js";

const VOUCHING = ["receipts", "inclusion", "witnessed"]; // with keys that the reader has named
const UNSUPPORTED = "this browser cannot check signatures";
const AGAIN = "fetch it again later: a game is in the log of all games within 24 hours, mostly within a minute";
const LATER = "fetch it again when they have had time, mostly after some minutes";
const UNTRUSTED = "no policy says which key of the server to trust";
const guarantor = name => GUARANTORS[name] ?? "mathematics";

export async function verifyBundle({format, record, receipts: notes, keys: listed}, policyText = "") {
	const [receipts, keys] = [(notes ?? []).filter(note => !isBare(note)), listed ?? []];
	if (format !== "card-referee-bundle/1") throw new Error("This is no bundle.");
	if (!record.entries?.length) return [promise("inclusion", null, `there is no log; ${AGAIN}`, true)];
	const policy = policyText.trim() ? readPolicy(policyText) : null;
	const known = policy ? await trusted(policy.logs, [...keys, ...(record.inclusion?.keys ?? [])]) : [];
	const {checks} = await verifyAll(record);
	/** @type {Promised[]} */
	const promises = checks.map(({name, ok, detail, seq}) => ({
		name, by: guarantor(name), ok: ok && /not checked: hidden/.test(detail) ? null : ok,
		detail: ok || !seq ? detail : `entry ${seq}: ${detail}`, needed: false, seq: ok ? null : seq,
	}));
	const add = (name, ok, detail, needed = false, by = guarantor(name)) => promises.push(promise(name, ok, detail, needed, by));
	const pins = Boolean(policy?.logs.length);
	add("verdicts", null, "this page does not know the rules of the games; `referee verify` does");
	if (!checks.some(({name}) => name === "signatures")) add("signatures", null, "no player has a key");
	const [begun = {}] = record.entries;
	if (!begun.entropy) add("entropy", null, "there were no commitments of the seats", false, "nobody");
	add("receipts", ...await receiptsFit(record, receipts, known), pins);
	const [included, checkpoint] = await isIncluded(record, known);
	add("inclusion", ...included, pins);
	const witnesses = policy?.witnesses.size ? `${demand(policy)} (witnesses)` : "witnesses";
	add("witnessed", ...await isWitnessed(checkpoint, policy), policy ? !isMet(policy, []) : false, witnesses);
	add("clock", null, "the server's word");
	for (const sentence of traces(record)) add("others", null, sentence);
	return promises;
}

/** @typedef {{name: string, by: string, ok: boolean | null, detail: string, needed: boolean, seq: number | null}} Promised */

/** @returns {Promised} */
function promise(name, ok, detail, needed = false, by = guarantor(name)) {
	return {name, by, ok, detail, needed, seq: null};
}

/** Those whose keys the reader has named, and who vouch for the game. @param {Promised[]} promises */
export const vouchersOf = promises => [...new Set(promises.filter(({name, ok}) => ok && VOUCHING.includes(name)).map(({by}) => by))];

/** The verdict of all promises, as `referee verify` gives it: evidence that the policy asks for may be missing.
 * @returns {"proved" | "consistent; nobody vouches for it" | "not enough evidence yet" | "contradicted"} */
export function verdictOf(promises) {
	if (promises.some(({ok}) => ok === false)) return "contradicted";
	if (promises.some(({ok, needed}) => needed && ok === null)) return "not enough evidence yet";
	return vouchersOf(promises).length ? "proved" : "consistent; nobody vouches for it";
}

/** What a game is that is no ordinary one; every verdict begins with it. */
export function kindsOf(record) {
	const {entries = [], origin, test_clock: clock} = record;
	const [begun = {}] = entries;
	const joined = entries.filter(({type}) => type === "joined");
	const seats = of => new Set(of.map(({seat}) => seat)).size;
	const found = [...(clock != null || begun.test_clock != null ? ["test_clock"] : []), ...([origin, begun.origin].includes("imported") ? ["imported"] : [])];
	const isPractice = seats(joined) > 1 && seats(joined.filter(({bot}) => bot == null)) < 2;
	const erased = erasedIn(record) ? ["erased"] : [];
	return !found.length && isPractice ? ["practice", ...erased] : [...found, ...erased];
}

/** @returns {Promise<[boolean | null, string]>} */
async function receiptsFit(record, receipts, known) {
	if (!receipts.length) return [null, `there are no receipts; ${AGAIN}`];
	const notes = receipts.map(readNote);
	const found = [];
	for (const note of notes) found.push(await receiptFits(record, note, known));
	const worst = found.find(([ok]) => ok === false) ?? found.find(([ok]) => ok === null);
	if (worst) return worst;
	if (notes.every(({size}) => size < record.entries.length)) return [null, `none is of the last entry; ${AGAIN}`];
	return [true, `${receipts.length} receipts fit the log`];
}

/** @returns {Promise<[boolean | null, string]>} */
async function receiptFits({entries, game, origin}, note, known) {
	const signed = note.origin.slice(note.origin.lastIndexOf("/") + 1);
	if (origin !== "imported" && game != null && signed !== game) return [false, "a receipt is of another game"];
	const by = await signerOf(note, known);
	if (by === undefined && known.length) return unsigned(note, known);
	if (!entries.length) return [null, "the record has no log"];
	const entry = entries[note.size - 1];
	if (entry?.hash !== note.root) return [by?.restored ? null : false, `another entry ${note.size} was signed`];
	if (by && isRetired(by, entry)) return [false, "the key that signed a receipt was retired before"];
	if (by) return [true, ""];
	return [null, by === null ? UNSUPPORTED : UNTRUSTED];
}

const isRetired = ({valid_until: until}, {at}) => Boolean(until) && moment(at) > moment(until);

/** Whether the game is in the log of all games; and the checkpoint, if the proofs lead to it.
 * @returns {Promise<[[boolean | null, string], any]>} */
async function isIncluded(record, known) {
	if (record.inclusion == null) return [[null, `the record has no proofs; ${AGAIN}`], null];
	const lacks = ["checkpoint", "leaves", "root", "size"].filter(name => !(name in record.inclusion));
	if (lacks.length) return [[null, `the record's proofs lack ${lacks.join(", ")}; ${AGAIN}`], null];
	try { return await proofsLead(record, known); } catch { return [[false, "the proofs cannot be read"], null]; }
}

/** @returns {Promise<[[boolean | null, string], any]>} */
async function proofsLead({entries, inclusion, origin}, known) {
	const ends = [entries[0], ...entries.filter(({type}) => type === "finished" || type === "cancelled")];
	const leaves = inclusion.leaves.filter(leaf => ["index", "data", "proof"].every(name => name in leaf));
	if (leaves.length > ends.length) return [[false, "there are more proofs than leaves"], null];
	const isLeaf = ({at, type, hash, seq}, data) =>
		data === canonical({at, type, hash, seq, commitment: entries[0].commitment, ...(origin === "imported" ? {origin} : {})});
	const left = [...ends], proved = [];
	for (const [i, {index, data, proof}] of leaves.entries()) {
		while (left.length && !isLeaf(left[0], data)) left.shift();
		const entry = left.shift();
		if (!entry) return [[false, `the leaf of entry ${ends[i].seq} is another one`], null];
		const {seq} = entry;
		proved.push(entry);
		if (rootOf(index, inclusion.size, utf8.encode(data), proof) !== inclusion.root) return [[false, `entry ${seq} is not in the tree`], null];
	}
	if (!inclusion.checkpoint || isBare(inclusion.checkpoint)) return [[null, `nobody has signed the tree; ${AGAIN}`], null];
	const note = readNote(inclusion.checkpoint);
	if (note.size !== inclusion.size || note.root !== inclusion.root) return [[false, "the checkpoint is of another tree"], null];
	if (!known.length) return [[null, UNTRUSTED], null];
	const by = await signerOf(note, known);
	if (by === null) return [[null, UNSUPPORTED], null];
	if (!by) return [unsigned(note, known), null];
	if (note.origin !== `${by.name}/games`) return [[false, "the checkpoint is not of the log of all games"], null];
	if (proved.length && isRetired(by, proved.at(-1))) return [[false, "the key that signed the checkpoint was retired before"], null];
	if (proved[0] !== ends[0]) return [[null, `there is no proof of the beginning of the game; ${AGAIN}`], null];
	if (proved.at(-1) !== ends.at(-1)) return [[null, `its end was not in the tree yet; ${AGAIN}`], null];
	return [[true, "the game is in the log of all games, with its terms"], note];
}

/** @returns {Promise<[boolean | null, string]>} */
async function isWitnessed(checkpoint, policy) {
	if (!policy?.witnesses.size) return [null, "no policy names witnesses"];
	if (!checkpoint) return [null, `there is no signed checkpoint with this game; ${AGAIN}`];
	const names = await cosigners(checkpoint, policy);
	if (names === null) return [null, UNSUPPORTED];
	const done = `${names.join(", ") || "nobody"} cosigned the tree of ${checkpoint.size} leaves`;
	return isMet(policy, names) ? [true, done] : [null, `only ${done}; ${LATER}`];
}
