// @ts-check
// Bytes, canonical JSON, hashes and signatures. Browsers offer their hash function only over HTTPS, so there is an own one.

export const utf8 = new TextEncoder();

export function canonical(value) {
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	if (value === null || typeof value !== "object") return JSON.stringify(value);
	return `{${Object.keys(value).sort().map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

export const hex = data => [...data].map(byte => byte.toString(16).padStart(2, "0")).join("");
export const bytes = text => Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
export const uint32 = n => Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n);

export const join = parts => Uint8Array.from(parts.flatMap(part => [...(typeof part === "string" ? utf8.encode(part) : part)]));

export function hmac(key, ...message) {
	if (key.length > 64) return hmac(sha256(key), ...message);
	const block = join([key, new Uint8Array(64 - key.length)]);
	const [inner, outer] = [0x36, 0x5c].map(pad => block.map(byte => byte ^ pad));
	return sha256(outer, sha256(inner, ...message));
}

// Fractions of square and cube roots of the first primes (FIPS 180-4).
const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every(prime => n % prime)) primes.push(n);
const fraction = x => ((x - Math.floor(x)) * 2 ** 32) | 0;
const ROUND = Int32Array.from(primes, prime => fraction(Math.cbrt(prime)));
const START = primes.slice(0, 8).map(prime => fraction(Math.sqrt(prime)));
const turns = (x, a, b, c) => (x >>> a | x << -a) ^ (x >>> b | x << -b) ^ (x >>> c | x << -c);

export function sha256(...parts) {
	const message = join(parts);
	const padded = join([message, [0x80], new Uint8Array(((119 - (message.length % 64)) % 64) + 8)]);
	const view = new DataView(padded.buffer);
	view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
	const state = Int32Array.from(START);
	const w = new Int32Array(64);
	for (let block = 0; block < padded.length; block += 64) {
		let [a, b, c, d, e, f, g, h] = state;
		for (let i = 0; i < 64; i++) {
			const [x, y] = [w[i - 15], w[i - 2]];
			w[i] = i < 16 ? view.getInt32(block + 4 * i)
				: w[i - 16] + w[i - 7] + (turns(x, 7, 18, 0) ^ x ^ (x >>> 3)) + (turns(y, 17, 19, 0) ^ y ^ (y >>> 10));
			const t = h + turns(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + ROUND[i] + w[i];
			const u = turns(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
			[a, b, c, d, e, f, g, h] = [(t + u) | 0, a, b, c, (d + t) | 0, e, f, g];
		}
		[a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] += value));
	}
	const digest = new DataView(new ArrayBuffer(32));
	state.forEach((value, i) => digest.setInt32(4 * i, value));
	return new Uint8Array(digest.buffer);
}

/** What a key signs of an action; the game's commitment and the hash of the last entry seen are hex. */
export const toSign = (game, previous, action) => utf8.encode(canonical({action, game, previous}));

/** Whether a signature is of a key; null where the browser cannot check it. */
export async function fitsKey(key, signature, message) {
	let known;
	try {
		known = await crypto.subtle.importKey("raw", bytes(key), "Ed25519", false, ["verify"]);
	} catch {
		return null;
	}
	return crypto.subtle.verify("Ed25519", known, bytes(signature), message);
}
