// @ts-check
// Who did what in a log, and what players signed. Browsers know Ed25519 only over HTTPS, if at all.

import {DECLARED} from "./declared.js";
import {bytes, fitsKey, hex, toSign} from "./encoding.js";
import {isErased} from "./verify.js";

const PEOPLE = ["player", "app"];
const DIRECTORS = ["app", "operator"];
const isHex = (text, length) => text?.length === length && /^[0-9a-f]*$/.test(text);

// The y of points of order 8 or less: a signature of such a key is valid for many messages.
const P = 2n ** 255n - 19n;
const EIGHTH = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const WEAK = [0n, 1n, P - 1n, EIGHTH, P - EIGHTH];

function isKey(text) {
	if (!isHex(text, 64)) return false;
	const y = BigInt(`0x${hex(bytes(text).reverse())}`) % 2n ** 255n;
	return y < P && !WEAK.includes(y);
}

/** What the player chose; null if it is not signed. */
function actionOf({type, seat, ending, vacation, replacement: to}, move) {
	const signed = DECLARED.types[type]?.signed;
	const chosen = {move, ending, days: vacation?.days, replacement: {seat: to?.seat, player: to?.player?.id ?? null, bot: to?.bot ?? null}};
	return signed ? {type, seat, ...Object.fromEntries(signed.map(name => [name, chosen[name]]))} : null;
}

export async function verifySignatures(record) {
	try {
		return record.entries?.length ? await signatures(record) : [];
	} catch (error) {
		return [{name: "signatures", ok: false, detail: `cannot be read: ${error.message}`, seq: null}];
	}
}

async function signatures({entries, seed}) {
	const keys = new Map();
	let [checked, unseen, retired, erased] = [0, 0, 0, 0];
	/** @type {{ok: boolean, detail: string, seq: number} | null} */
	let found = null;
	/** @type {{ok: boolean, detail: string, seq: number} | null} */
	let wrongBy = null;
	const says = !entries[0].origin;
	const wrong = (detail, seq) => (found ??= {ok: false, detail, seq});
	for (const [i, entry] of entries.entries()) {
		const {seq, type, seat, by = "player", bot, random, order} = entry;
		if (seat === undefined) {
			if (entry.by && !DIRECTORS.includes(entry.by)) wrongBy ??= {ok: false, detail: "does not say who decided it", seq};
			continue;
		}
		const due = /timed_out|forfeited|dropped/.test(type) || entry.dropped || random ? "clock" : order ? "order" : bot && type === "moved" ? "bot" : null;
		if (entry.by ? !(due ? [due] : PEOPLE).includes(by) : says) wrongBy ??= {ok: false, detail: "does not say who made it", seq};
		if (entry.by && type === "moved" && [random, order, bot].filter(Boolean).length > 1) wrongBy ??= {ok: false, detail: "was made in two ways at once", seq};
		if (entry.by && !due && bot && !/joined|left/.test(type)) wrongBy ??= {ok: false, detail: "a bot does nothing but move", seq};
		const seen = [entry.private?.[seat], entry.private?.all].filter(Boolean);
		const share = seen.find(each => each.move) ?? seen[0] ?? {};
		const move = share.move ?? entry.move;
		const [{signature}, other] = share.move ? [share, entry] : [entry, share];
		const action = actionOf(entry, move);
		if (type === "joined" || type === "left") keys.delete(seat);
		if ("public_key" in entry) {
			keys.set(seat, entry.public_key);
			if (!entry.player || !isKey(entry.public_key)) wrongBy ??= {ok: false, detail: "a seat has an invalid key", seq};
		}
		if (!action) continue;
		const isSigned = keys.has(seat) && (!entry.by || PEOPLE.includes(by));
		if ("signature" in other) wrong("the signature is not where the move is", seq);
		else if (!isSigned) signature !== undefined && wrong("is signed by an unknown key", seq);
		else if (!signature && isErased(entry)) erased += 1;
		else if (!signature && entry.sealed && seed == null && !entry.private?.[seat]) unseen += 1;
		else {
			const message = toSign(entries[0].commitment, entries[i - 1].hash, action);
			const fits = by === "player" && isHex(signature, 128) && isHex(keys.get(seat), 64) && await fitsKey(keys.get(seat), signature, message);
			if (fits === null) unseen += 1;
			else if (fits) checked += 1;
			else wrong("the player has a key but did not sign this", seq);
		}
		if (type === "key_retired") {
			retired += 1;
			if (!keys.delete(seat)) wrong("gives up a key that the seat does not have", seq);
		}
	}
	const detail = `${checked} acts are signed${retired ? `; ${retired} of them give a key up` : ""}${unseen ? `; ${unseen} not checked: hidden, or not supported by this browser` : ""}${erased ? `; ${erased} more were erased with what was said` : ""}`;
	const checks = wrongBy ? [{name: "seats", .../** @type {object} */ (wrongBy)}] : [];
	if (found || checked || unseen || erased || keys.size) checks.push({name: "signatures", ok: true, detail, seq: null, .../** @type {object | null} */ (found)});
	return checks;
}
