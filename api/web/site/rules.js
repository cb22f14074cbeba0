// @ts-check
// The rules of a game: a sample hand with its cards drawn, and the exact rules, which unfold for a link to one of them.

import {card, paint} from "../cards/cards.js";
import {faces} from "../cards/faces.js";
import {client} from "../game/client.js";
import {nodes} from "../table/draw.js";
import {$, bdi, fill, h} from "../table/dom.js";
import {completedTrick, nameOf} from "../model/model.js";
import {scoresBefore, sentences, transfers} from "../model/sentences.js";
import {cardName, inLanguage, learn, place} from "../texts.js";

const NAMES = ["Anna", "Ben", "Cleo", "Dan"];
const {ruleset: id} = /** @type {HTMLElement} */ (document.querySelector("main")).dataset;

/** Unfold the exact rules for a link to one. */
function unfold() {
	const wanted = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
	if (!wanted || !$("exact").contains(wanted)) return;
	$("exact").setAttribute("open", "");
	wanted.scrollIntoView();
}

const row = (cards, catalogue, extra = {}) => h("span", {class: "cards", ...extra}, ...cards.map(each => card(each, catalogue)));

/** The cards that everybody begins with. */
function dealt(game, entry, catalogue) {
	return transfers(entry).flatMap(([, to, cards]) => {
		const [zone, seat] = place(to ?? "");
		return zone === "hand" && seat !== null ? [h("p", h("b", bdi(nameOf(game, seat))), " ", row(cards, catalogue))] : [];
	});
}

/** Whether somebody only says something, such as that they pass. */
const isBare = ({move, transfers: moved}) => !moved.length && Boolean(move) && Object.keys(move).length === 1;

/** The moves in words. Those of a trick are one item: its cards, each with who played it, and the winner marked. */
function told(entries, game, ruleset, catalogue) {
	/** @type {[entry: any, item: HTMLElement][]} */
	const items = [];
	const known = new Map(entries.map(entry => [entry.seq, entry]));
	entries.forEach((entry, i) => {
		if (!i) return;
		const said = sentences(entry, game, scoresBefore(entry, known), ruleset, known).map(parts => h("p", ...nodes(parts, catalogue)));
		const trick = completedTrick(entry, entries.slice(0, i));
		if (trick && entry.won_by != null) {
			while (items.at(-1)?.[0].transfers.some(({to}) => to === trick.zone)) items.pop();
			said[0] = h("p.cards", ...trick.cards.map((each, n) =>
				h("span.laid", card(each, catalogue, "span", trick.by[n] === entry.won_by ? {class: "card wins"} : {}), bdi(nameOf(game, trick.by[n])))));
		}
		const last = items.at(-1);
		if (last && isBare(entry) && isBare(last[0])) last[1].append(...said);
		else items.push([trick ? {transfers: []} : entry, h("li", ...said)]);
	});
	return items.map(([, item]) => item);
}

async function begin() {
	unfold();
	addEventListener("hashchange", unfold);
	const api = client();
	const [hands, ruleset] = await Promise.all([api.json(`/docs/rules/${id}/hand.json`).catch(() => null), api.json(`/v1/rulesets/${id}${inLanguage}`)]);
	if (!hands) return; // a game of somebody else's
	paint(faces);
	learn(ruleset.words);
	const catalogue = new Map(ruleset.cards.map(each => [each.id, {...each, name: cardName(each.name)}]));
	const game = {ruleset: id, status: "running", seats: NAMES.slice(0, hands.seats).map(name => ({player: {name}})), viewer: {seats: [], whole: true}};
	fill($("dealt"), ...dealt(game, hands.entries[0], catalogue));
	fill($("moves"), ...told(hands.entries, game, ruleset, catalogue));
	$("hand").hidden = false;
}

begin();
