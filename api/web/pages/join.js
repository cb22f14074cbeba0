// @ts-check
// An invite: it is in the fragment, which no server sees, and gives a seat to whoever enters a name.

import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {guest, known} from "../game/guests.js";
import {keep, newKey, newSecret} from "../game/keys.js";
import {dress} from "../cards/cards.js";
import {sample} from "../cards/deck.js";
import {$, bdi, fill, h, text} from "../table/dom.js";
import {face} from "../site/game-list.js";
import {isSeatedElsewhere, keepSecret, keepToken, read, returnAddress, tokenOf} from "../game/storage.js";
import {loadSoon} from "../site/soon.js";
import {paceSentence} from "../site/pace-words.js";
import {inLanguage, list, t, tn} from "../texts.js";

const given = new URLSearchParams(location.hash.slice(1));
const [id, wanted, invite] = ["game", "seat", "invite"].map(name => given.get(name) ?? "");
returnAddress(given); // for the table's page, in this tab
const game = id.toLowerCase(); // as the table's page writes it
const isWhole = /^[0-9a-f-]{36}$/i.test(game) && /^\d{0,2}$/.test(wanted) && (invite || !wanted);

/** @type {any} what is known of the game */
let terms = null;
/** The seat of the link; without one, the first that is free. */
const seat = () => (wanted ? Number(wanted) : Array.from({length: terms.seats}, (_, n) => n).find(n => !terms.players.some(one => one.seat === n)) ?? 0);
const at = () => `/v1/games/${game}/seats/${seat()}`;
if (!isWhole) failed(new Error(t("This link is incomplete: copy all of it.")));
else if (read(tokenOf(game)) && !isSeatedElsewhere(game)) location.replace(`/table/${game}`);
else begin().then(loadSoon, failed);

async function begin() {
	await ask();
	const ruleset = await client().json(`/v1/rulesets/${terms.ruleset}${inLanguage}`);
	dress(/** @type {any} */ (document.querySelector(".banner")), ruleset.id);
	$("cards").replaceChildren(sample(ruleset));
	text($("game"), [terms.title, ruleset.name, tn("{n} player", "{n} players", terms.seats), terms.pace ? paceSentence(terms.pace) : t("now, without clocks")].filter(Boolean).join(" · "));
	text($("summary"), ruleset.summary);
	const names = terms.players.flatMap(({name}) => name ?? []);
	if (names.length) text($("invited"), t("An invitation from {names}", {names: list(names)}));
	const free = Math.max(0, terms.seats - terms.players.length);
	fill($("people"), ...terms.players.map(one => h("li", face({...one, player: one.player && {id: one.player}}), bdi(one.name ?? t("Bot {seat}", {seat: one.seat})))),
		...(free ? [h("li", face({open: true}), tn("{n} seat is free", "{n} seats are free", free))] : []));
	$("rules").href = `/docs/rules/${ruleset.id}`;
	$("rules").hidden = false;
	$("join").hidden = false;
	const me = account() ?? known();
	if (me && !isSeatedElsewhere(game)) $("join").elements.name.value = me.player.name;
	$("seated").hidden = !isSeatedElsewhere(game);
	$("back").href = `/table/${game}`;
	$("join").elements.name.focus();
}

async function ask() {
	const about = `/v1/games/${game}${wanted ? `/seats/${wanted}` : ""}/invitation`;
	terms = await client().json(about, {method: "POST", body: invite ? {invite} : {}});
	if (!invite && !terms.guests) throw new Error(t("Only players of the app that made this game may sit down."));
}

/** Why a link that once was good gives no seat. */
function why({status, body}) {
	if (status !== 409) return t("This link has been used, or some of it is missing. Ask for a new one.");
	return body.type.endsWith("seat-taken") ? t("Somebody else sits here already.") : t("The game has begun without you.");
}

function failed(error) {
	const taken = [403, 404, 409].includes(error.status);
	if (taken && isSeatedElsewhere(game)) location.replace(`/table/${game}`);
	if ($("join").hidden) text($("invited"), t("This invitation does not work"));
	text($("trouble"), taken ? why(error) : error.message);
	$("look").href = `/table/${game}`;
	$("look").hidden = !taken;
	$("on").hidden = false;
}

/** Take the seat as the account, under the name that it has, or as the guest of this device; return whether it could.
 * In games of other apps it cannot, and somebody else in this browser may have a seat already. */
async function sit(body) {
	const name = $("join").elements.name.value.trim();
	if (!terms.guests || isSeatedElsewhere(game) || (account() && account().player.name !== name)) return false;
	let me;
	try {
		me = await guest(name);
	} catch (error) {
		if (invite) return false; // as a guest of this game alone
		throw new Error(error.message);
	}
	const {own, public_key} = account() ? {} : await newKey(); // an account plays on every device
	await client(me.token).json(at(), {method: "PUT", body: {...body, public_key}});
	if (!account()) keepToken(game, me.token);
	if (own) await keep(game, seat(), own);
	return true;
}

/** Take the seat; if somebody was faster, and the link is good for others, the next one. */
async function takeSeat() {
	const {secret, commitment} = terms.entropy === "commit" ? newSecret() : {};
	const mine = seat();
	if (secret) keepSecret(game, mine, secret);
	try {
		if (await sit({invite: invite || undefined, commitment})) return;
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

addEventListener("hashchange", () => location.reload()); // another link in the same tab
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
