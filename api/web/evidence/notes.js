// @ts-check
// Signed notes, checkpoints and policies of C2SP: signed-note, tlog-checkpoint, tlog-cosignature, tlog-policy.

import {bytes, fitsKey, hex, sha256, utf8} from "../verify/encoding.js";

const [LOG, WITNESS] = [1, 4]; // types of keys
const decoded = text => Uint8Array.from(atob(text), char => char.charCodeAt(0));

/** Read a key, `name+id+base64`. */
export function readKey(vkey, kind = LOG) {
	const [, name, id, encoded] = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey) ?? [];
	const value = name ? decoded(encoded) : [];
	const due = name && hex(sha256(name, "\n", value)).slice(0, 8);
	if (value.length !== 33 || value[0] !== kind || due !== id) throw new Error(`“${vkey.slice(0, 40)}…” is no such key`);
	return {name, id, public: hex(value.slice(1)), vkey};
}

/** Read a note: its text, its lines, and its signatures. */
export function readNote(note) {
	const at = note.lastIndexOf("\n\n");
	if (at < 0 || !note.endsWith("\n")) throw new Error("this is no signed note");
	const text = note.slice(0, at + 1);
	const signatures = note.slice(at + 2, -1).split("\n").map(line => {
		const [, name, value] = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? [];
		if (!name) throw new Error("a line under the note is no signature");
		const data = decoded(value);
		return {name, id: hex(data.slice(0, 4)), value: data.slice(4)};
	});
	const [origin, size, root] = text.split("\n");
	return {text, origin, size: Number(size), root: root && hex(decoded(root)), signatures};
}

/** The first of these keys that has signed a note; null: this browser cannot check it. */
export async function signerOf(note, keys) {
	let known;
	for (const key of keys) {
		for (const {name, id, value} of note.signatures) {
			if (name !== key.name || id !== key.id || !(note.origin === name || note.origin.startsWith(`${name}/`))) continue;
			const fits = await fitsKey(key.public, hex(value), utf8.encode(note.text));
			if (fits) return key;
			if (fits === null) known = null;
		}
	}
	return known;
}

/** Whether a note has no line of a signature: it is nobody's word, and so as good as absent. */
export const isBare = note => typeof note === "string" && note.includes("\n\n") && !note.split("\n\n").slice(1).join("").trim();

/** What it means that none of these keys has signed a note: false, or null where what would prove it is absent, and why.
 * @returns {[false | null, string]} */
export function unsigned(note, keys) {
	const ofLog = keys.filter(({name}) => note.origin === name || note.origin.startsWith(`${name}/`));
	if (!ofLog.length) return [false, "it is of another server"];
	if (note.signatures.some(({name, id}) => ofLog.some(key => key.name === name && key.id === id))) return [false, "it is not what the key signed that it names"];
	if (!note.signatures.some(({name}) => name === ofLog[0].name)) return [null, "the server's signature is missing: fetch it again"];
	return [null, "it is signed with a key that no trusted one endorses: get the server's GET /v1/log-keys, and give it to `referee verify --keys`"];
}

/** When a witness has cosigned a checkpoint, in seconds since 1970; undefined if it has not, null if this browser cannot check it. */
async function cosignedAt(note, key) {
	for (const {name, id, value} of note.signatures) {
		if (name !== key.name || id !== key.id) continue;
		const at = Number(new DataView(value.buffer).getBigUint64(0));
		const fits = await fitsKey(key.public, hex(value.slice(8)), utf8.encode(`cosignature/v1\ntime ${at}\n${note.text}`));
		if (fits !== false) return fits && at;
	}
}

/** Of the listed keys those that are pinned, or that a trusted one endorses. */
export async function trusted(pinned, listed) {
	const waiting = listed.map(({vkey, ...more}) => ({...readKey(vkey), ...more}));
	const found = pinned.map(key => waiting.find(({vkey}) => vkey === key.vkey) ?? key); // with the times of the list
	for (let more = true; more;) {
		more = false;
		for (const key of waiting) {
			if (!key.endorsement || found.some(({vkey}) => vkey === key.vkey)) continue;
			const note = readNote(key.endorsement);
			const old = await signerOf(note, found);
			if (!old || note.text !== `${old.name}/keys\n${key.vkey}\n`) continue;
			found.push(key);
			more = true;
		}
	}
	return found;
}

/** Read a policy: keys of logs, witnesses, groups and the quorum. */
export function readPolicy(text) {
	/** @type {{logs: object[], witnesses: Map<string, any>, groups: Map<string, any>, quorum: string}} */
	const policy = {logs: [], witnesses: new Map(), groups: new Map(), quorum: ""};
	for (const line of text.split("\n")) {
		const [kind, ...words] = line.trim().split(/[ \t]+/);
		if (!kind || kind.startsWith("#")) continue;
		if (kind === "log") policy.logs.push(readKey(words[0]));
		else if (kind === "witness") policy.witnesses.set(words[0], readKey(words[1], WITNESS));
		else if (kind === "group") {
			const [name, threshold, ...members] = words;
			const isKnown = members.every(member => policy.witnesses.has(member) || policy.groups.has(member));
			const number = {any: 1, all: members.length}[threshold] ?? Number(threshold);
			if (!isKnown || !(number >= 1 && number <= members.length)) throw new Error(`the group ${name} is invalid`);
			policy.groups.set(name, {number, members});
		} else if (kind === "quorum" && !policy.quorum) policy.quorum = words[0];
		else throw new Error(`“${line.slice(0, 40)}” is no line of a policy`);
	}
	const {quorum} = policy;
	if (quorum !== "none" && !policy.witnesses.has(quorum) && !policy.groups.has(quorum)) throw new Error("the policy names no quorum");
	return policy;
}

export const isMet = (policy, names, name = policy.quorum) => {
	const group = policy.groups.get(name);
	if (name === "none") return true;
	return group ? group.members.filter(member => isMet(policy, names, member)).length >= group.number : names.includes(name);
};

export const demand = ({groups, quorum}) => (groups.has(quorum) ? `${groups.get(quorum).number} of ${groups.get(quorum).members.join(", ")}` : quorum);

/** Which witnesses of a policy have cosigned a checkpoint; null if this browser cannot check that. */
export async function cosigners(note, policy) {
	const names = [];
	for (const [name, key] of policy.witnesses) {
		const at = await cosignedAt(note, key);
		if (at === null) return null;
		if (at !== undefined) names.push(name);
	}
	return names;
}

/** The root that an inclusion proof leads to (RFC 9162, 2.1.3.2); null if it is malformed. */
export function rootOf(index, size, leaf, proof) {
	if (!(index >= 0 && index < size)) return null;
	let [number, last, found] = [index, size - 1, sha256(Uint8Array.of(0), leaf)];
	for (const hash of proof.map(bytes)) {
		if (last === 0) return null;
		if (number % 2 || number === last) {
			found = sha256(Uint8Array.of(1), hash, found);
			while (number % 2 === 0 && number) [number, last] = [number / 2, Math.floor(last / 2)];
		} else found = sha256(Uint8Array.of(1), found, hash);
		[number, last] = [Math.floor(number / 2), Math.floor(last / 2)];
	}
	return last === 0 ? hex(found) : null;
}

