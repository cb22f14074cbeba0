// An invite: it stands in the fragment, which no server is told, and with a name it becomes a seat.

import {client} from "../game/client.js";
import {keep, newKey} from "../game/keys.js";
import {keepSecret, newSecret} from "../game/secrets.js";
import {$, text} from "../table/dom.js";
import {read, tokenOf, write} from "../game/storage.js";

const given = new URLSearchParams(location.hash.slice(1));
const [game, seat, invite] = ["game", "seat", "invite"].map(name => given.get(name) ?? "");
const isWhole = /^[0-9a-f-]{36}$/i.test(game) && /^\d{1,2}$/.test(seat) && invite;

if (isWhole && read(tokenOf(game))) location.replace(`/table/${game}`); // sits there already
$("join").hidden = !isWhole;
if (!isWhole) text($("trouble"), "This link is not whole: copy all of it.");

$("join").addEventListener("submit", async event => {
	event.preventDefault();
	$("sit").disabled = true;
	try {
		const {own, public_key} = await newKey();
		const body = {invite, name: $("join").elements.name.value.trim(), public_key};
		const sit = more => client().json(`/v1/games/${game}/seats/${seat}/guest`, {method: "POST", body: {...body, ...more}});
		const {token} = await sit().catch(error => {
			if (!error.body?.errors?.commitment) throw error;
			const {secret, commitment} = newSecret(); // in this game seats commit to one
			keepSecret(game, secret);
			return sit({commitment});
		});
		write(tokenOf(game), token);
		await keep(game, own);
		location.replace(`/table/${game}`);
	} catch (error) {
		const taken = [403, 404, 409].includes(error.status);
		text($("trouble"), taken ? "This invite has been used, or the game has begun." : error.message);
		if (taken) {
			$("look").href = `/table/${game}`;
			$("look").hidden = false;
		}
	} finally {
		$("sit").disabled = false;
	}
});
