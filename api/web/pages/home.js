// @ts-check
// The start page: games that go on, a tile for each game, the lobby, and games to watch. What comes late moves nothing that is there.

import {client} from "../game/client.js";
import {known} from "../game/guests.js";
import {dress} from "../cards/cards.js";
import {deck, sample} from "../cards/deck.js";
import {$, fill, h, text} from "../table/dom.js";
import {account} from "../game/account.js";
import {myGames, tokenFor} from "../game/storage.js";
import {ofDevice} from "../site/device.js";
import {followLobby, lookFor} from "../start/lobby.js";
import {create, openSheet} from "../start/sheet.js";
import {inOrder, line, seatOf, wide} from "../site/game-list.js";
import {loadSoon} from "../site/soon.js";
import {inLanguage, list, t, tn} from "../texts.js";

const WATCHED = 12;
const HANDS = 6; // games whose hand is shown
const LEVELS = [t("easy"), t("medium"), t("hard")];
let rulesets = [];

/** Numbers of seats in words; a range even if some in between are not possible, which the sheet says. */
const range = seats => (seats.length > 2 ? t("{least} to {most}", {least: seats[0], most: seats.at(-1)}) : list(seats.map(String), t("or")));

function tile(ruleset) {
	const {id, name, seats, tile: {minutes, level}} = ruleset;
	const facts = [seats.at(-1) === 1 ? t("1 player") : t("{range} players", {range: range(seats)}),
		minutes && tn("{n} minute", "{n} minutes", minutes), LEVELS[level - 1]];
	const made = h("button.tile", {"data-ruleset": id, "aria-haspopup": "dialog", onclick: () => openSheet(ruleset, look)},
		sample(ruleset), h("span.tile-name", name), h("span.tile-line", facts.filter(Boolean).join(" · ")));
	dress(made, id, false);
	return made;
}

async function begin() {
	({items: rulesets} = await client().json(`/v1/rulesets${inLanguage}`));
	fill($("rulesets"), ...rulesets.map(tile));
	const wanted = new URLSearchParams(location.search).get("game"); // a page of rules leads to its game
	if (wanted) $("rulesets").querySelector(`[data-ruleset="${CSS.escape(wanted)}"]`)?.click();
}

/** Look for others, and play the same game against bots if nobody comes. */
const look = terms => lookFor(terms, names().get(terms.ruleset) ?? terms.ruleset, () => create({...terms, others: Array(terms.seats - 1).fill({bot: "cautious"})}));

const names = () => new Map(rulesets.map(({id, name}) => [id, name]));

async function watch() {
	const {items} = await client().json(`/v1/games?visibility=public&status=running,finished&limit=${WATCHED}`).catch(() => ({items: []}));
	const [running, others] = [true, false].map(wanted => items.filter(({status}) => (status === "running") === wanted).map(game => line(game, names())));
	$("running").prepend(...running); // the recorded match is between them
	$("running").append(...others);
	$("running").hidden = false;
}

/** The games of the account and of this device; those first where it is the player's turn. */
async function mine() {
	if ($("mine").hidden) return;
	const [own, here] = await Promise.all([ofAccount(), ofDevice()]);
	const found = new Map([...own, ...inOrder(here)].map(one => [one[0].id, one]));
	const shown = [...found.values()].slice(0, WATCHED);
	const cards = shown.map(([game, player]) => wide(game, names(), player));
	fill($("mine-list"), ...(cards.length ? cards : [h("li.none", t("None of your games goes on at the moment."))]));
	await Promise.all(shown.map(async ([game, player], i) => {
		const isDrawn = i < HANDS && await hand(game, seatOf(game, player), cards[i]).catch(() => false); // it is not needed
		const ruleset = rulesets.find(({id}) => id === game.ruleset);
		if (!isDrawn && ruleset) cards[i].querySelector(".deck")?.replaceWith(sample(ruleset));
	}));
}

/** Draw the hand of a seat on the card of its game, where there is room for it; false if it is not to be seen. */
async function hand(game, seat, made) {
	if (!seat || game.status !== "running") return false;
	const [{view}, {cards}] = await Promise.all([client(tokenFor(game.id)).json(`/v1/games/${game.id}`), client().json(`/v1/rulesets/${game.ruleset}${inLanguage}`)]);
	const held = view?.zones[`hand.${seat.seat}`];
	if (Array.isArray(held)) made.querySelector(".deck").replaceWith(deck(held, cards));
	return Array.isArray(held);
}

async function ofAccount() {
	const me = account();
	if (!me) return [];
	const {items} = await client(me.token).json(`/v1/games?status=running,open&limit=200`);
	return inOrder(items.map(game => [game, me.player.id]));
}

const me = account() ?? known();
if (me && $("name").value === $("name").defaultValue) $("name").value = me.player.name; // or somebody has typed already
$("mine").hidden = !me && !myGames().length; // decided before anything else is drawn
begin().then(() => Promise.all([mine(), watch()])).then(() => void followLobby(names, look)).then(loadSoon).catch(error => text($("trouble"), error.message));
