// @ts-check
// The verdict on a bundle: for each promise who guarantees it, and whether it is kept (`ok` null: that was not checked).

import {cosigners, demand, isMet, readNote, readPolicy, rootOf, signerOf, trusted} from "./notes.js";
import {traces} from "../verify/traces.js";
import {verifyAll} from "../verify/verifier.js";
import {canonical, utf8} from "../verify/encoding.js";

const [MATHEMATICS, SERVER, WITNESSES, PLAYERS, NOBODY] = ["mathematics", "the server's key", "witnesses", "players' keys", "nobody"];
const UNSUPPORTED = "this browser cannot check signatures";
const UNTRUSTED = "no policy says which key of the server to trust";

export async function verifyBundle({format, record, receipts = [], keys = []}, policyText = "") {
	if (format !== "card-referee-bundle/1") throw new Error("This is no bundle.");
	const policy = policyText.trim() ? readPolicy(policyText) : null;
	const known = policy ? await trusted(policy.logs, keys) : [];
	const {checks} = await verifyAll(record);
	const promises = checks.map(({name, ok, detail, seq}) => ({
		name, by: name === "signatures" ? PLAYERS : MATHEMATICS, ok: ok && /not checked: hidden/.test(detail) ? null : ok,
		detail: ok || !seq ? detail : `entry ${seq}: ${detail}`,
	}));
	const add = (name, by, ok, detail) => promises.push({name, by, ok, detail});
	add("verdicts", MATHEMATICS, null, "every move is legal: this page does not know the rules of the games; `referee verify` does");
	if (!checks.some(({name}) => name === "signatures")) add("signatures", PLAYERS, null, "players acted themselves: no player has a key");
	if (!record.entries[0].entropy && !record.entries[0].beacon) {
		const why = record.origin === "forked" ? "the game is a fork, a test game that goes on from another one whose deal was known" : "there were no commitments of the seats and no beacon";
		add("unchosen", NOBODY, null, `nobody could choose the deal: ${why}`);
	}
	add("receipts", SERVER, ...await receiptsFit(record, receipts, known));
	const [included, checkpoint] = await isIncluded(record, known);
	add("inclusion", SERVER, ...included);
	add("witnessed", policy?.witnesses.size ? `${demand(policy)} (${WITNESSES})` : WITNESSES, ...await isWitnessed(checkpoint, policy));
	add("timestamp", "time-stamp authority", null, "the game had ended by a certain time: this page checks no time-stamps");
	add("clock", NOBODY, null, "the times of entries are right: the server's word");
	for (const sentence of traces(record.entries)) add("others", NOBODY, null, `${sentence}: the server's word`);
	return promises;
}

async function receiptsFit({entries}, receipts, known) {
	for (const note of receipts.map(readNote)) {
		if (entries[note.size - 1]?.hash !== note.root) return [false, `another entry ${note.size} was signed`];
		if (!known.length) return [null, UNTRUSTED];
		const by = await signerOf(note, known);
		if (by === null) return [null, UNSUPPORTED];
		if (!by) return [false, "no trusted key has signed a receipt"];
	}
	return receipts.length ? [true, `${receipts.length} receipts fit the log`] : [null, "there are no receipts"];
}

/** Whether the game is in the log of all games; and the checkpoint, if the proofs lead to it.
 * @returns {Promise<[[boolean | null, string], any]>} */
async function isIncluded({entries, inclusion, origin}, known) {
	if (!inclusion?.leaves.length) return [[null, "the record has no proofs"], null];
	const ends = [entries[0], ...entries.filter(({type}) => type === "finished" || type === "cancelled")];
	let isBound = true;
	for (const [i, {index, data, proof}] of inclusion.leaves.entries()) {
		const {at, type, hash, seq} = ends[i] ?? {};
		const leaf = {at, type, hash, seq, commitment: entries[0].commitment, ...(origin === "imported" ? {origin} : {})};
		const {hash: _, seq: __, ...early} = leaf; // of an earlier release
		if (i === 0 && data === canonical(early)) isBound = false;
		else if (data !== canonical(leaf)) return [[false, `the leaf of entry ${seq} is another one`], null];
		if (rootOf(index, inclusion.size, utf8.encode(data), proof) !== inclusion.root) return [[false, `entry ${seq} is not in the tree`], null];
	}
	if (!inclusion.checkpoint) return [[null, "nobody has signed the tree"], null];
	const note = readNote(inclusion.checkpoint);
	if (note.size !== inclusion.size || note.root !== inclusion.root) return [[false, "the checkpoint is of another tree"], null];
	if (!known.length) return [[null, UNTRUSTED], note];
	const by = await signerOf(note, known);
	if (by === null) return [[null, UNSUPPORTED], note];
	if (!by || note.origin !== `${by.name}/games`) return [[false, "no trusted key has signed the checkpoint"], null];
	if (inclusion.leaves.length < ends.length) return [[null, "its end was not in the tree yet: fetch the bundle again"], note];
	return [[isBound || null, `the game is in the log of all games${isBound ? ", with its terms" : "; its leaf does not bind its terms"}`], note];
}

async function isWitnessed(checkpoint, policy) {
	if (!policy?.witnesses.size) return [null, "no policy names witnesses"];
	if (!checkpoint) return [null, "there is no signed checkpoint with this game"];
	const names = await cosigners(checkpoint, policy);
	if (names === null) return [null, UNSUPPORTED];
	return [isMet(policy, names), `${names.join(", ") || "nobody"} cosigned the tree of ${checkpoint.size} leaves`];
}
