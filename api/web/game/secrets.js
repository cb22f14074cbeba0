// What a seat adds to the chance of a deal: promised by its hash on joining, kept on this device, revealed when all are
// seated. Whoever finds it cannot use it without the token.

import {hex, sha256, utf8} from "../verify/verify.js";
import {forget, read, remember, write} from "./storage.js";

const place = game => `entropy:${game}`;

export function newSecret() {
	const secret = hex(crypto.getRandomValues(new Uint8Array(32)));
	return {secret, commitment: hex(sha256(utf8.encode(secret)))};
}

export function keepSecret(game, secret) {
	write(place(game), secret);
	remember(place(game), true);
}

export const secretOf = game => read(place(game));
export const dropSecret = game => forget(place(game));
