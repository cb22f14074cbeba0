// @ts-check
// The start page.

import {client} from "../game/client.js";
import {forgetGuest, guest, known} from "../game/guests.js";
import {keep, newKey, newSecret} from "../game/keys.js";
import {$, fill, h, patch, text} from "../table/dom.js";
import {account} from "../game/account.js";
import {choose, keepSecret, keepToken} from "../game/storage.js";
import {ofDevice} from "../site/device.js";
import {followLobby, lookFor} from "../start/lobby.js";
import {chosenOptions, drawOptions} from "../start/options.js";
import {inOrder, line} from "../site/game-list.js";
import {beginPace, chosenPace} from "../start/pace.js";
import {loadSoon} from "../site/soon.js";
import {inLanguage, list, t, tn} from "../texts.js";

const range = seats => (seats.length > 2 && seats.at(-1) - seats[0] === seats.length - 1
	? t("{least} to {most}", {least: seats[0], most: seats.at(-1)}) : list(seats.map(String), t("or")));

const WATCHED = 12;
const BUTTONS = ["start", "guided"];
const OTHERS = {cautious: t("a careful bot"), "skilled-1": t("a skilled bot"), random: t("a random bot"), open: t("a friend, by link")};
let rulesets = [];
/** @type {any} the chosen ruleset with its options, as soon as it is loaded */
let described = null;

async function begin() {
	({items: rulesets} = await client().json(`/v1/rulesets${inLanguage}`));
	fill($("rulesets"), ...rulesets.map(({id, name, seats, summary}, i) => h("label.tile",
		h("input", {type: "radio", name: "ruleset", value: id, required: true, checked: i === 0}),
		h("span.tile-name", name), h("span.tile-seats", seats.at(-1) === 1 ? t("1 player") : t("{range} players", {range: range(seats)})), h("span.tile-line", summary))));
	$("rulesets").addEventListener("change", drawSeats);
	drawSeats();
	beginPace();
	$("play").addEventListener("submit", start);
	for (const button of BUTTONS) $(button).disabled = false;
}

function chosen() {
	return rulesets.find(({id}) => id === $("play").elements.ruleset.value) ?? rulesets[0];
}

function drawSeats() {
	const {seats, summary} = chosen();
	text($("summary"), summary);
	const before = Number($("count").value);
	fill($("count"), ...seats.map(n => h("option", {value: n}, tn("{n} seat", "{n} seats", n))));
	$("count").value = seats.includes(before) ? before : seats.find(n => n >= 3) ?? seats.at(-1);
	drawOthers();
	describe();
}

/** Load the options of the chosen ruleset, and draw them for the seats that are chosen by then. */
async function describe() {
	const {id} = chosen();
	if (described?.id !== id) {
		described = null;
		const found = await client().json(`/v1/rulesets/${id}${inLanguage}`).catch(() => null); // it has its usual options then
		if (chosen().id === id) described = found;
	}
	drawOptions(described, Number($("count").value));
}

function drawOthers() {
	const others = Array.from({length: Number($("count").value) - 1}, (_, i) => i + 1);
	$("others").hidden = others.length < 2 || $("all").value === "anybody";
	patch($("others"), others, String, seat => h("label.other", `${t("Player {number}", {number: seat + 1})} `, h("select", {name: `seat${seat}`})),
		label => {
			const [select] = label.children;
			if (!select.children.length) select.append(...Object.entries(OTHERS).map(([value, words]) => h("option", {value}, words)));
		});
	allAlike();
}

function allAlike() {
	const {value} = $("all");
	for (const select of $("others").querySelectorAll("select")) select.value = value === "anybody" ? "cautious" : value;
	$("others").hidden = value === "anybody" || $("others").children.length < 2;
}

/** A key with which only this device acts for a seat; none for an account, which has several devices. */
const newSeatKey = async () => (account() ? {} : newKey());

async function start(event) {
	event.preventDefault();
	const {elements} = $("play");
	text($("trouble"), "");
	const isGuided = event.submitter?.id === "guided"; // against careful bots, whatever the form says of others
	for (const button of BUTTONS) $(button).disabled = true;
	try {
		if (elements.all.value === "anybody" && !isGuided) {
			if (Number(elements.count.value) < 2) throw new Error(t("Choose at least two seats to play with somebody."));
			await look({ruleset: chosen().id, seats: Number(elements.count.value), options: chosenOptions(described), pace: chosenPace()});
			return;
		}
		const me = await guest(elements.name.value.trim());
		const plays = isGuided || elements.sit.value === "me";
		const {own, public_key} = await newSeatKey();
		const others = [...$("others").querySelectorAll("select")].map(({value}) => (isGuided ? {bot: "cautious"} : value === "open" ? {open: true} : {bot: value}));
		if (isGuided && !others.length) others.push({bot: "cautious"}, {bot: "cautious"}); // nobody learns alone
		const {secret, commitment} = elements.deal.value && plays ? newSecret() : {};
		const seats = [plays ? {player: me.player.id, public_key, commitment} : {bot: "random"}, ...others];
		const visibility = plays ? elements.visibility.value : "public";
		const game = await client(me.token).once("/v1/games", {ruleset: chosen().id, seats, options: chosenOptions(described), visibility, pace: isGuided ? undefined : chosenPace(), entropy: elements.deal.value || undefined});
		if (!account()) keepToken(game.id, me.token, true);
		if (secret) keepSecret(game.id, 0, secret);
		if (own) await keep(game.id, 0, own);
		if (isGuided) choose("guided", game.id);
		location.assign(`/table/${game.id}`);
	} catch (error) {
		if (error.status === 401) forgetGuest();
		text($("trouble"), error.status === 403 ? t("This server accepts no guests: only apps create games here.") : error.message);
	} finally {
		for (const button of BUTTONS) $(button).disabled = false;
	}
}

/** Look for others, and play the same game against bots if nobody comes. */
const look = terms => lookFor(terms, async () => {
	$("all").value = "cautious";
	allAlike();
	$("start").disabled = false;
	$("start").click();
});

const names = () => new Map(rulesets.map(({id, name}) => [id, name]));

async function watch() {
	const {items} = await client().json(`/v1/games?visibility=public&limit=${WATCHED}`);
	fill($("running"), ...items.map(game => line(game, names())));
}

/** The games of the account and of this device; those first where it is the player's turn. */
async function mine() {
	const [own, here] = await Promise.all([ofAccount(), ofDevice()]);
	const found = [...own, ...inOrder(here)];
	const shown = [...new Map(found.map(([game, player]) => [game.id, line(game, names(), player)])).values()].slice(0, WATCHED);
	fill($("mine-list"), ...shown);
	$("mine").hidden = !shown.length;
}

async function ofAccount() {
	const me = account();
	if (!me) return [];
	const {items} = await client(me.token).json(`/v1/games?status=running,open&limit=200`);
	return inOrder(items.map(game => [game, me.player.id]));
}

$("count").addEventListener("change", () => {
	drawOthers();
	drawOptions(described, Number($("count").value));
});
$("all").addEventListener("change", allAlike);
const me = account() ?? known();
if (me) $("name").value = me.player.name;
begin().then(() => Promise.all([mine(), watch()])).then(() => void followLobby(names, look)).then(loadSoon).catch(error => text($("trouble"), error.message));
