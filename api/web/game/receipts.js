// @ts-check
// What the server has signed of a game's log. The newest receipts stay in this tab, to compare the log with.

import {fitsKey, hex} from "../verify/encoding.js";
import {read, write} from "./storage.js";

const KEPT = 60;
const LOST = "its key was retired when the server was restored from a backup, which may lack this entry";
const place = game => `receipts:${game}`;
const hexOf = text => hex(Uint8Array.from(atob(text), byte => byte.charCodeAt(0)));

export const receipts = game => JSON.parse(read(place(game)) || "[]");

/** Keep a receipt; true if it contradicts an earlier one. */
export function keepReceipt(game, note) {
	const kept = receipts(game);
	const [, size, root] = note.split("\n");
	const same = kept.map(one => one.split("\n")).filter(one => one[1] === size);
	if (!same.some(one => one[2] === root)) write(place(game), JSON.stringify([...kept.slice(1 - KEPT), note]));
	return same.some(one => one[2] !== root);
}

/** Check entries against the receipts kept; null without any. */
export async function checkReceipts(game, entries, listed) {
	const kept = receipts(game);
	const keys = listed.map(({vkey}) => /^([^+]*)\+([^+]*)\+(.*)$/.exec(vkey));
	let [known, lost] = [true, ""];
	for (const note of kept) {
		const [origin, size, root] = note.split("\n");
		const wrong = detail => ({name: "receipts", ok: false, detail, seq: Number(size)});
		const [text, under] = note.split("\n\n");
		const signed = under.split("\n").flatMap(line => keys.map(([, name, id, key]) => {
			const [, signer, value] = line.split(" ");
			const isIts = signer === name && origin === `${name}/${game}` && hexOf(value).startsWith(id);
			return isIts && fitsKey(hexOf(key).slice(2), hexOf(value).slice(8), new TextEncoder().encode(`${text}\n`));
		}));
		const found = await Promise.all(signed);
		const by = found.indexOf(true);
		if (entries[size - 1]?.hash !== hexOf(root)) {
			if (by < 0 || !listed[by % keys.length].restored) return wrong("the server has signed another log: save the receipts");
			lost ||= `; entry ${size}: ${LOST}`;
		}
		if (found.includes(null)) known = false;
		else if (!found.includes(true)) return wrong("a receipt is not signed by the server's keys");
	}
	const detail = `${kept.length} kept${known ? "" : "; this browser cannot check their signatures"}${lost}`;
	return kept.length ? {name: "receipts", ok: true, detail, seq: null} : null;
}
