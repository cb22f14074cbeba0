// @ts-check
// An invite: it is in the fragment, which no server sees, and gives a seat to whoever enters a name.

import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {keep, newKey, newSecret} from "../game/keys.js";
import {$, text} from "../table/dom.js";
import {isSeatedElsewhere, keepSecret, keepToken, read, returnAddress, tokenOf} from "../game/storage.js";
import {loadSoon} from "../site/soon.js";
import {pace, t, tn} from "../texts.js";

const given = new URLSearchParams(location.hash.slice(1));
const [id, wanted, invite] = ["game", "seat", "invite"].map(name => given.get(name) ?? "");
returnAddress(given); // for the table's page, in this tab
const game = id.toLowerCase(); // as the table's page writes it
const isWhole = /^[0-9a-f-]{36}$/i.test(game) && /^\d{0,2}$/.test(wanted) && invite;

/** @type {any} what is known of the game */
let terms = null;
/** The seat of the link; without one, the first that is free. */
const seat = () => (wanted ? Number(wanted) : Array.from({length: terms.seats}, (_, n) => n).find(n => !terms.players.some(one => one.seat === n)) ?? 0);
const at = () => `/v1/games/${game}/seats/${seat()}`;
if (!isWhole) text($("trouble"), t("This link is incomplete: copy all of it."));
else if (read(tokenOf(game)) && !isSeatedElsewhere(game)) location.replace(`/table/${game}`);
else begin().then(loadSoon, failed);

async function begin() {
	await ask();
	const {name} = await client().json(`/v1/rulesets/${terms.ruleset}`);
	text($("game"), `${name}, ${tn("{n} player", "{n} players", terms.seats)}${terms.pace ? `, ${pace(terms.pace)}` : ""}.`);
	const names = terms.players.map(one => one.name ?? one.bot).join(", ");
	text($("people"), [terms.title, names && t("Already seated: {names}.", {names})].filter(Boolean).join(". "));
	$("join").hidden = false;
	if (account()) $("join").elements.name.value = account().player.name;
	$("seated").hidden = !isSeatedElsewhere(game);
	$("back").href = `/table/${game}`;
	$("join").elements.name.focus();
}

async function ask() {
	const about = `/v1/games/${game}${wanted ? `/seats/${wanted}` : ""}/invitation`;
	terms = await client().json(about, {method: "POST", body: {invite}});
}

function failed(error) {
	const taken = [403, 404, 409].includes(error.status);
	if (taken && isSeatedElsewhere(game)) location.replace(`/table/${game}`);
	text($("trouble"), taken ? t("This invite has been used, or the game has begun.") : error.message);
	$("look").href = `/table/${game}`;
	$("look").hidden = !taken;
}

/** Take the seat with the account, under the name that it has; return whether it could. It cannot in games of other apps. */
async function sit(body) {
	const me = account();
	if (me?.player.name !== $("join").elements.name.value.trim()) return false;
	return client(me.token).json(at(), {method: "PUT", body}).then(() => true, error => {
		if ([401, 403, 404].includes(error.status)) return false;
		throw error;
	});
}

/** Take the seat; if somebody was faster, and the link is good for others, the next one. */
async function takeSeat() {
	const {secret, commitment} = terms.entropy === "commit" ? newSecret() : {};
	const mine = seat();
	if (secret) keepSecret(game, mine, secret);
	try {
		if (await sit({invite, commitment})) return;
		const {own, public_key} = await newKey();
		const body = {invite, name: $("join").elements.name.value.trim(), public_key, commitment};
		const {token} = await client().json(`${at()}/guest`, {method: "POST", body});
		keepToken(game, token);
		await keep(game, mine, own);
	} catch (error) {
		if (wanted || error.status !== 409) throw error;
		await ask(); // which fails if no seat is free
		await takeSeat();
	}
}

$("join").addEventListener("submit", async event => {
	event.preventDefault();
	$("sit").disabled = true;
	try {
		await takeSeat();
		location.replace(`/table/${game}`);
	} catch (error) {
		failed(error);
	} finally {
		$("sit").disabled = false;
	}
});
