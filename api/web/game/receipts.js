// @ts-check
// What the server has signed of a game's log. The receipts kept are compared with the log.

import {fitsKey, hex} from "../verify/encoding.js";
import {receipts} from "./storage.js";

const LOST = "its key was retired when the server was restored from a backup, which may lack this entry";
const hexOf = text => hex(Uint8Array.from(atob(text), byte => byte.charCodeAt(0)));

/** Check entries against the receipts kept, with the keys that `list` finds; null without any. */
export async function checkReceipts(game, entries, list) {
	const kept = receipts(game);
	if (!kept.length) return null; // a server that signs nothing lists no keys
	const listed = await list();
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
	return {name: "receipts", ok: true, detail, seq: null};
}
