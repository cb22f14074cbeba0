// The start page.

import {client} from "../game/client.js";
import {forgetGuest, guest} from "../game/guests.js";
import {keep, newKey} from "../game/keys.js";
import {$, bdi, fill, h, patch, text} from "../table/dom.js";
import {nameOf} from "../model/model.js";
import {forget, keepSecret, keepToken, myGames, newSecret, read, tokenOf} from "../game/storage.js";
import {list} from "../model/words.js";

const range = seats => (seats.length > 2 && seats.at(-1) - seats[0] === seats.length - 1
	? `${seats[0]} to ${seats.at(-1)}` : list(seats.map(String), "or"));

const WATCHED = 12;
const OTHERS = {cautious: "a careful bot", "skilled-1": "a skilled bot", random: "a random bot", open: "a friend, by link"};
let rulesets = [];

async function begin() {
	({items: rulesets} = await client().json("/v1/rulesets"));
	fill($("rulesets"), ...rulesets.map(({id, name, seats, summary}, i) => h("label.tile",
		h("input", {type: "radio", name: "ruleset", value: id, required: true, checked: i === 0}),
		h("span.tile-name", name), h("span.tile-seats", `${range(seats)} ${seats.at(-1) === 1 ? "player" : "players"}`), h("span.tile-line", summary))));
	$("rulesets").addEventListener("change", drawSeats);
	drawSeats();
	$("play").addEventListener("submit", start);
	$("start").disabled = false;
}

function chosen() {
	return rulesets.find(({id}) => id === $("play").elements.ruleset.value) ?? rulesets[0];
}

function drawSeats() {
	const {seats, summary} = chosen();
	text($("summary"), summary);
	const before = Number($("count").value);
	fill($("count"), ...seats.map(n => h("option", {value: n}, `${n} ${n === 1 ? "seat" : "seats"}`)));
	$("count").value = seats.includes(before) ? before : seats.find(n => n >= 3) ?? seats.at(-1);
	drawOthers();
}

function drawOthers() {
	const others = Array.from({length: Number($("count").value) - 1}, (_, i) => i + 1);
	$("others").hidden = others.length < 2;
	patch($("others"), others, String, seat => h("label.other", `Seat ${seat} `, h("select", {name: `seat${seat}`})),
		label => {
			const [select] = label.children;
			if (!select.children.length) select.append(...Object.entries(OTHERS).map(([value, words]) => h("option", {value}, words)));
		});
	allAlike();
}

function allAlike() {
	for (const select of $("others").querySelectorAll("select")) select.value = $("all").value;
}

async function start(event) {
	event.preventDefault();
	const {elements} = $("play");
	text($("trouble"), "");
	$("start").disabled = true;
	try {
		const me = await guest(elements.name.value.trim());
		const plays = elements.sit.value === "me";
		const {own, public_key} = await newKey();
		const others = [...$("others").querySelectorAll("select")].map(({value}) => (value === "open" ? {open: true} : {bot: value}));
		const {secret, commitment} = elements.deal.value && plays ? newSecret() : {};
		const seats = [plays ? {player: me.player.id, public_key, commitment} : {bot: "random"}, ...others];
		const visibility = plays ? elements.visibility.value : "public";
		const game = await client(me.token).once("/v1/games", {ruleset: chosen().id, seats, visibility, entropy: elements.deal.value || undefined});
		keepToken(game.id, me.token, true);
		if (secret) keepSecret(game.id, 0, secret);
		await keep(game.id, 0, own);
		location.assign(`/table/${game.id}`);
	} catch (error) {
		if (error.status === 401) forgetGuest();
		text($("trouble"), error.status === 403 ? "This server accepts no guests: only apps create games here." : error.message);
	} finally {
		$("start").disabled = false;
	}
}

const line = game => h("li", h("a", {href: `/table/${game.id}`},
	h("strong", rulesets.find(({id}) => id === game.ruleset)?.name ?? game.ruleset), h("span", {class: `status ${game.status}`}, standing(game)),
	game.origin === "imported" ? h("span.status", "imported") : null,
	h("span.people", ...game.seats.flatMap((_, seat) => [seat ? ", " : "", bdi(nameOf(game, seat))]))));

const isMyTurn = ({to_act: due, viewer}) => viewer?.seats?.some(seat => due?.includes(seat)) ?? false;
const standing = game => (game.status === "running" && isMyTurn(game) ? "your turn" : game.status);

async function watch() {
	const {items} = await client().json(`/v1/games?visibility=public&limit=${WATCHED}`);
	fill($("running"), ...items.map(line));
}

/** The games in which this device has a seat, those first where it is the player's turn. */
async function mine() {
	const found = await Promise.all(myGames().slice(0, WATCHED).map(id =>
		client(read(tokenOf(id))).json(`/v1/games/${id}`).catch(error => {
			if (error.status === 401) forget(tokenOf(id)); // no longer valid
			return null;
		})));
	const seated = found.filter(game => game?.viewer.seats.length).sort((one, other) => isMyTurn(other) - isMyTurn(one));
	fill($("mine-list"), ...seated.map(line));
	$("mine").hidden = !seated.length;
}

$("count").addEventListener("change", drawOthers);
$("all").addEventListener("change", allAlike);
begin().then(() => Promise.all([mine(), watch()])).catch(error => text($("trouble"), error.message));
