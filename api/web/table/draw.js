// @ts-check
// Draws the table. Elements are kept by keys, so the focus stays and cards do not flicker. Each zone has its place from the
// start, which depends on the ruleset and the window alone: the style sheet gives the cards in it their size and places.

import {back, card, inline, SIDES, sidesOf, trickPlaces} from "../cards/cards.js";
import {portrait, ring} from "../cards/portrait.js";
import {bdi, change, fill, h, neighbour, patch} from "./dom.js";
import {around, badges, chips, completedTrick, HEAP, laidBy, nameOf, sidesOf as teamsOf, suitText, title, zonesOf} from "../model/model.js";
import {moment, reserveWords, t, tn, words} from "../texts.js";

/** @import {Cards, Catalogue, Entry, Game, Part, Zone} from "../types.d.ts" */

const MAIN = ["trick", "table", "pile", "open"]; // zones in the middle of the table; the others are piles beside it
const RICH = 1; // from more own zones besides the hand on, these have a row of their own
const LINE = 10; // cards of a row; more lie in two rows
const HAND_LINE = 12;
const NUMBERED = 5; // chosen cards whose order may matter
const LONG = 40; // letters of a title that would need three lines of a phone
const BUBBLE = 2600; // milliseconds that a bubble stays
const LETTER = 40; // more for each letter

/** @param {Part[]} parts  @param {Catalogue} catalogue */
export function nodes(parts, catalogue) {
	return parts.flatMap(part => {
		if (typeof part === "string") return part ? [part] : [];
		if ("name" in part) return [h("b", bdi(part.name))];
		if ("said" in part) return [h("q", bdi(part.said))];
		if ("time" in part) return [h("time", {datetime: part.time, title: `${part.time.slice(0, 16).replace("T", " ")} UTC`}, moment(part.time))];
		if ("suit" in part) return [h("span", {class: `inline ${"DH".includes(part.suit) ? "red" : "black"}`}, suitText(part.suit))];
		const known = part.cards.filter(id => id !== null);
		const hidden = part.cards.length - known.length;
		const shown = known.flatMap((id, i) => [i ? " " : "", inline(id, catalogue)]);
		const unseen = tn("{n} hidden card", "{n} hidden cards", hidden);
		return !hidden ? shown : known.length ? [...shown, ` ${t("and")} ${unseen}`] : [unseen];
	});
}

/** Show something for a moment. @param {Element} place  @param {HTMLElement} made */
export function flash(place, made) {
	place.append(made);
	setTimeout(() => made.remove(), BUBBLE + LETTER * made.textContent.length);
}

/** @param {Zone} zone */
const isBeside = ({seat, base}) => seat === null && !MAIN.includes(base);

/** @param {number} n */
const counted = n => tn("{n} card", "{n} cards", n);

export class TableView {
	constructor(act) {
		this.act = act;
		this.title = h("p.title", {role: "status", tabindex: "-1"});
		this.chips = h("ul.chips", {tabindex: "0", "aria-label": t("State of play")});
		this.sides = Object.fromEntries(SIDES.map(side => [side, h(`div.side.${side}`)]));
		this.seats = h("div.seats", ...Object.values(this.sides));
		this.centre = h("div.centre");
		this.piles = [h("div.piles"), h("div.piles")];
		this.middle = h("div.middle", this.piles[0], this.centre, this.piles[1]);
		this.felt = h("div.felt", {role: "region", "aria-label": t("Table"), tabindex: "0"}, this.seats, this.middle);
		this.hand = h("div.hand", {role: "group", "aria-label": t("Your hand"), tabindex: "-1"});
		this.ownZones = h("div.own-zones");
		this.ownPlate = h("div.own-plate");
		this.own = h("div.own", {hidden: true}, this.ownPlate, this.ownZones, this.hand);
		this.rows = 1;
		this.isDealt = this.isGrown = false;
		this.dealtFor = "";
		this.isMovingFocus = false;
		this.felt.addEventListener("keydown", rove);
		this.own.addEventListener("keydown", rove);
		/** @type {Set<string>} the zones of the middle that have had cards in this game: each has a row */
		this.rowsInPlay = new Set();
	}

	draw(shown) {
		this.shown = shown;
		this.drawAll(shown);
		if (!this.hand.matches(":focus")) return;
		const {first} = this;
		if (!first) return;
		this.isMovingFocus = true; // a card that gets the focus by itself does not say why it cannot be played
		change(first, {"data-quiet": true, onblur: () => first.removeAttribute("data-quiet")});
		first.focus();
		this.isMovingFocus = false;
	}

	drawAll({game, headline, ruleset, catalogue, legal}) {
		fill(this.title, ...nodes(headline ?? title(game, legal, ruleset), catalogue));
		this.title.classList.toggle("long", (this.title.textContent ?? "").length > LONG);
		this.title.classList.toggle("yours", Boolean(legal && game.to_act.includes(game.viewer.seats[0]) && !game.result));
		this.drawChips(chips(game, ruleset), catalogue);
		this.chips.classList.toggle("many", Object.values(ruleset.facts).filter(fact => fact["x-words"]).length > 1);
		const zones = zonesOf(game, ruleset).map(zone => this.withoutTrick(zone));
		if (game.id !== this.dealtFor) [this.dealtFor, this.isDealt, this.rows, this.rowsInPlay] = [game.id, false, 1, new Set()];
		const [mine] = game.viewer?.seats ?? [];
		const places = around(game);
		change(this.felt, {"data-seats": places.length});
		this.felt.classList.toggle("seated", mine !== undefined);
		const sides = sidesOf(places, mine !== undefined);
		for (const side of SIDES) {
			patch(this.sides[side], sides[side], String,
				seat => h("section.seat", {"data-seat": seat}, h("div.plate"), h("div.mat")),
				(element, seat) => {
					change(element, {"aria-label": game.seats[seat].open ? t("Player {number}", {number: seat + 1}) : nameOf(game, seat)});
					this.drawSeat(element, seat, zones.filter(zone => zone.seat === seat));
				});
		}
		this.own.hidden = mine === undefined;
		if (mine !== undefined) {
			const own = zones.filter(zone => zone.seat === mine);
			change(this.own, {"data-seat": mine});
			this.drawPlate(this.ownPlate, mine, own);
			const more = own.filter(({kind}) => kind !== "hand");
			this.drawZones(this.ownZones, more);
			this.own.classList.toggle("rich", more.length > RICH);
			this.drawHand(own.find(({kind}) => kind === "hand"));
		}
		this.drawMiddle(zones.filter(({seat}) => seat === null), places);
	}

	/** The zone without the cards of the complete trick that still lies on the table. @param {Zone} zone  @returns {Zone} */
	withoutTrick(zone) {
		const {overlay, isResting} = this.shown;
		if (!isResting || zone.name === overlay.zone) return zone;
		const cards = [...zone.cards];
		for (const id of overlay.cards) if (cards.includes(id)) cards.splice(cards.lastIndexOf(id), 1);
		return {...zone, cards};
	}

	/** @param {Catalogue} catalogue */
	drawChips(found, catalogue) {
		patch(this.chips, found, ({name}) => name, () => h("li"),
			(element, {label, parts}) => fill(element, label && parts.length ? `${label} ` : label,
				parts.length ? h("strong", ...nodes(parts, catalogue)) : null));
	}

	/** @param {HTMLElement} element  @param {number} seat  @param {Zone[]} zones */
	drawSeat(element, seat, zones) {
		const [plate, mat] = /** @type {HTMLCollectionOf<HTMLElement>} */ (element.children);
		this.drawPlate(plate, seat, zones);
		this.drawZones(mat, zones.filter(({kind}) => kind !== "count"));
	}

	/** @param {HTMLElement} plate  @param {number} seat  @param {Zone[]} zones */
	drawPlate(plate, seat, zones) {
		const {game, home} = this.shown;
		const acts = game.to_act.includes(seat) && !game.result;
		const state = standing(game, seat);
		const {open, deadline, player} = game.seats[seat];
		const reserve = acts && reserveWords(game.seats[seat], game.pace);
		const hand = zones.find(({kind}) => kind === "count");
		const {isResting, overlay} = this.shown;
		plate.className = `plate${acts ? " acts" : ""}${isResting && overlay.won === seat ? " takes" : ""} ${state}`;
		const team = teamsOf(game, this.shown.ruleset)?.findIndex(side => side.includes(seat));
		// There are four colours.
		change(plate, {"data-team": team === undefined ? null : team % 4});
		fill(plate,
			avatar(game, seat, acts),
			game.view?.facts.dealer === seat && h("span.disc", {"aria-hidden": "true", title: words("dealer")}, words("dealer")[0].toUpperCase()),
			h("span.who",
				player ? h("a.name", {href: `${home}/player#${player.id}`, target: "_blank", rel: "noopener"}, bdi(nameOf(game, seat))) : h("span.name", bdi(open ? t("open seat") : nameOf(game, seat))),
				h("span.tags", ...this.tags(seat, acts, state).map(([kind, tag]) => h("span", {class: `tag ${kind.replace(/\W.*/, "")}`}, tag)))),
			hand ? h("span.held", {title: t("cards in hand")}, h("span.unseen", `${t("cards")} `), String(hand.count)) : null,
			game.view ? h("span.score", {title: t("score")}, h("span.unseen", `${t("score")} `), String(game.view.scores[seat])) : null,
			acts && deadline ? h("span.deadline", h("time", {datetime: deadline}, t("until {time}", {time: moment(deadline)})), reserve && h("span.reserve", reserve)) : null);
	}

	/** What is said of a seat beside its name: a kind and its words each. @param {number} seat  @param {boolean} acts  @param {string} state  @returns {string[][]} */
	tags(seat, acts, state) {
		const {game, ruleset} = this.shown;
		const facts = badges(game, seat, ruleset).map(tag => [tag === words("dealer") ? "unseen" : tag, tag]); // that has a sign of its own
		const taken = takenBy(game, seat, this.shown.catalogue);
		return [...(game.viewer?.seats?.includes(seat) ? [["you", t("you")]] : []), ...(taken ? [["taken", `+${taken}`]] : []), ...facts, ...(acts ? [["to", t("to act")]] : []), ...(state ? [[state, t(state)]] : [])];
	}

	/** Show for a moment what a seat says, in a bubble at its plate; readers hear it from the announcer. @param {number} seat  @param {any[]} said */
	speak(seat, said) {
		const place = this.own.dataset.seat === String(seat) && !this.own.hidden ? this.own : this.seats.querySelector(`[data-seat="${seat}"]`);
		place?.querySelector(":scope > .bubble")?.remove();
		if (place) flash(place, h("div.bubble", {"aria-hidden": "true"}, ...said));
	}

	/** @param {string} name */
	isTarget(name) {
		return this.shown.options?.targets.has(name) ?? false;
	}

	/** @param {HTMLElement} parent  @param {Zone[]} zones */
	drawZones(parent, zones) {
		patch(parent, zones, zone => zone.name + this.isCrowd(zone), zone => this.makeZone(zone), (element, zone) => this.drawZone(element, zone));
	}

	makeZone({name, label}) {
		return h("div.zone", {"data-zone": name, role: "group"}, h("span.label", label),
			h("span.lie"));
	}

	/** @param {HTMLElement} element  @param {Zone} zone */
	drawZone(element, zone) {
		const canChoose = this.choosable(zone);
		const pile = (zone.kind === "pile" || isBeside(zone) || (zone.kind === "hidden" && zone.count > 4)) && !canChoose;
		const heap = zone.kind === "heap" && !canChoose;
		const there = zone.cards.length; // without those of a trick that still lies in the middle
		const seen = pile ? Math.min(1, there) : heap ? HEAP : there;
		const kind = pile ? "pile" : heap ? "heap spread" : zone.kind === "heap" ? "spread" : zone.kind;
		const isVacant = !there && !this.isTarget(zone.name);
		element.className = ["zone", kind, there ? "" : isVacant ? "empty vacant" : "empty", canChoose ? "pickable" : "", this.isCrowd(zone) ? "crowd" : ""].filter(Boolean).join(" ");
		change(element, {"aria-label": `${zone.label}, ${counted(zone.count)}`, "data-count": zone.count});
		const [label, lie] = /** @type {HTMLCollectionOf<HTMLElement>} */ (element.children);
		fill(label, zone.label, zone.count > 1 && h("span.n", ` · ${zone.count}`));
		const cards = keyed(zone.cards.slice(Math.max(0, there - seen)), Math.max(0, there - seen));
		this.drawCards(lie, zone, cards, canChoose);
		layOut(lie, cards.length > LINE && zone.seat === null ? 2 : 1);
		this.drawButton(element, zone, (pile && zone.count > 1 && zone.cards.some(id => id !== null)) || heap);
	}

	/** The button over a whole zone: chooses it, or opens a pile.
	 * @param {HTMLElement} element  @param {Zone} zone  @param {boolean} opens */
	drawButton(element, zone, opens) {
		const target = this.shown.options?.targets.get(zone.name);
		let button = element.querySelector(":scope > .into");
		if (target || opens) {
			button ??= element.appendChild(h("button.into"));
			const says = target ? t("Choose {zone}", {zone: zone.label}) : t("Show {zone}", {zone: zone.label});
			change(button, {"aria-label": says, title: says, "aria-pressed": target ? String(target.isChosen) : false,
				onclick: () => this.act(target ? {values: target.values} : {open: zone})});
			button.classList.toggle("lit", Boolean(target));
		} else button?.remove();
	}

	/** Whether cards of a zone may be chosen: those of a pile only where none in the middle may. @param {Zone} zone */
	choosable(zone) {
		const names = [...this.shown.zonesToChoose ?? []];
		return names.includes(zone.name) && !(isBeside(zone) && names.some(name => MAIN.includes(name)));
	}

	/** Whether the cards of a pile are to be chosen from. @param {Zone} zone */
	isCrowd(zone) {
		return isBeside(zone) && this.choosable(zone);
	}

	/** @param {HTMLElement} row  @param {Zone | undefined} zone  @param {{card: string | null, index: number, key: string}[]} cards  @param {boolean} canChoose */
	drawCards(row, zone, cards, canChoose) {
		const tag = canChoose ? "button" : "span";
		patch(row, cards, ({key}) => key + canChoose, ({card: id}) => (id === null ? back(tag) : card(id, this.shown.catalogue, tag)),
			(made, one) => zone && this.drawCard(made, zone, one));
		return oneStop(row);
	}

	drawCard(made, zone, {card: id, index}) {
		if (made.localName !== "button") return;
		const {choice, tappable, isUnfit, tips, laid, canRemove} = this.shown;
		const later = laid?.[zone.name]?.[index] ?? -1;
		const order = choice.picks.findIndex(pick => pick.zone === zone.name && pick.index === index);
		const pick = {zone: zone.name, index, card: id};
		const isLaid = later >= 0 && canRemove;
		const isOpen = order >= 0 || isLaid || tappable(zone.name, index, id);
		const chosen = choice.picks.filter(pick => pick.zone === zone.name).length;
		const attributes = {"aria-pressed": String(order >= 0 || isLaid), "aria-disabled": isOpen ? false : "true",
			"data-laid": later >= 0 && later + 1, "aria-description": later >= 0 && t("laid out as number {n} of your next moves", {n: later + 1}),
			"data-order": order >= 0 && chosen > 1 && chosen <= NUMBERED && order + 1, "data-index": index, "data-tip": Boolean(tips?.includes(id)), "data-unfit": order < 0 && zone.seat !== null && isUnfit(id, zone.name),
			onclick: ({detail}) => this.act(isLaid ? {remove: later} : isOpen ? {card: pick, isSent: detail === 2 && order >= 0} : {why: pick}), onfocus: () => isOpen || this.isMovingFocus || this.act({why: pick, soon: true}),
			onpointerenter: ({pointerType}) => isOpen || pointerType !== "mouse" || this.act({why: pick, soon: true}),
			onpointerleave: ({pointerType}) => isOpen || pointerType !== "mouse" || this.act({why: null})};
		if (id === null) attributes["aria-label"] = t("{zone} {number}, hidden", {zone: zone.label, number: index + 1});
		change(made, attributes);
	}

	/** @param {Zone | undefined} zone */
	drawHand(zone) {
		const cards = keyed(zone?.cards ?? []);
		const canChoose = Boolean(zone && this.shown.mayChoose); // a card that cannot be played says why
		change(this.hand, {"data-zone": zone?.name ?? false, "data-count": cards.length,
			"aria-label": `${t("Your hand")}, ${counted(cards.length)}`});
		if (cards.length > HAND_LINE && this.rows === 1) [this.rows, this.isGrown] = [2, this.isDealt];
		else if (this.isGrown && cards.length <= HAND_LINE - 4) this.rows = 1; // not at every card that comes and goes
		this.isDealt ||= cards.length > 0;
		this.hand.classList.toggle("two", this.rows === 2);
		this.hand.classList.toggle("small", this.rows === 2 && this.isGrown); // so that nothing moves
		this.first = this.drawCards(this.hand, zone, cards, canChoose);
		layOut(this.hand, this.rows);
	}

	/** @param {Zone[]} zones */
	drawMiddle(zones, places) {
		const {game, ruleset, entries, overlay} = this.shown;
		const hasTrick = ruleset.zones.some(({name}) => name === "trick"); // what lies on its "table" is in front of nobody
		this.middle.classList.toggle("undealt", !game.view);
		if (!game.view) return this.centre.querySelector(".waiting") ?? this.centre.replaceChildren(h("div.waiting"));
		if (this.centre.querySelector(".waiting")) this.centre.replaceChildren();
		for (const {base, count} of zones) if (count || base === "trick") this.rowsInPlay.add(base);
		const beside = zones.filter(isBeside);
		const half = Math.ceil(beside.length / 2);
		[beside.slice(0, half), beside.slice(half)].forEach((piles, at) => {
			this.drawZones(this.piles[at], piles);
			change(this.piles[at], {style: {"--k": piles.length}});
		});
		const rows = zones.filter(zone => !isBeside(zone) && (this.rowsInPlay.has(zone.base) || !this.centre.children.length))
			.map(zone => (zone.base === "trick" || zone.base === "table" ? {...zone, kind: "trick"} : zone));
		return patch(this.centre, rows, ({name}) => name, zone => this.makeZone(zone), (element, zone) => {
			const full = overlay?.zone === zone.name ? {...zone, cards: overlay.cards, count: overlay.cards.length} : zone;
			const by = overlay?.zone === zone.name ? overlay.by : laidBy(zone.name, full.cards, entries);
			this.drawZone(element, full);
			const called = zone.base === "pile" ? calledSuit(game, ruleset) : "";
			change(element, {"data-taken": overlay?.zone === zone.name, "data-called": called || false, style: {"--called": `"${suitText(called)}"`}});
			const inFront = full.kind === "trick" && !(hasTrick && zone.base === "table") && by.length && by.every(seat => seat !== null) && new Set(by).size === by.length;
			const isAround = inFront || (full.kind === "trick" && zone.base === "trick");
			element.classList.toggle("around", isAround);
			element.classList.add("main");
			const spots = trickPlaces(places.length);
			if (isAround) change(element, {style: {"--cols": 1 + 2 * Math.max(...spots.map(([x]) => x)), "--rows": places.length > 1 ? 2 : 1}});
			const owner = full.kind === "trick" && !inFront && by.length && new Set(by).size === 1 ? by[0] : null;
			if (owner !== null && owner !== undefined) fill(element.firstElementChild, bdi(nameOf(game, owner)));
			if (!isAround) return;
			[...element.querySelectorAll(".lie > *")].forEach((made, i) => {
				const [x, y] = spots[inFront ? places.indexOf(by[i]) : i % spots.length]; // no two at one place
				change(made, {style: {"--x": x, "--y": y}, title: inFront && nameOf(game, by[i]), "data-won": Boolean(inFront && overlay && by[i] === overlay.won)});
			});
		});
	}
}

/** Give the cards of a zone their places: in the middle of a row, or of two.
 * @param {HTMLElement} row  @param {number} rows */
function layOut(row, rows) {
	const cards = /** @type {HTMLElement[]} */ ([...row.children]);
	const line = Math.ceil(cards.length / rows);
	cards.forEach((made, i) => {
		const inLine = Math.min(line, cards.length - line * Math.floor(i / line));
		change(made, {style: {"--n": line, "--x": (i % line) - (inLine - 1) / 2, "--y": Math.floor(i / line) - (rows - 1) / 2}});
	});
}

/** The portrait of who sits at a seat, in a ring that empties with the clock. @param {any} game  @param {number} seat  @param {boolean} acts */
function avatar({seats, pace}, seat, acts) {
	const {open, bot, player, deadline} = seats[seat];
	const made = h("span.avatar", {"aria-hidden": "true"}, open ? null : portrait(player?.id ?? `${bot} ${seat}`, Boolean(bot)));
	return acts && deadline ? change(made, {class: "avatar timed", style: ring(deadline, pace)}) : made;
}

/** The suit that a fact of the game names, or "". @param {Game} game  @param {import("../types.d.ts").Ruleset} ruleset  @returns {string} */
const calledSuit = ({view}, {facts}) => Object.keys(facts).map(name => facts[name]["x-role"] === "suit" && view?.facts[name]).find(Boolean) || "";

/** What the cards are worth that a seat has taken, if all are known and their points are not scored yet; else 0.
 * @param {Game} game  @param {number} seat  @param {import("../types.d.ts").Catalogue} catalogue */
function takenBy({view}, seat, catalogue) {
	const cards = view?.zones[`won.${seat}`];
	if (!Array.isArray(cards) || view?.result) return 0;
	const points = cards.reduce((sum, id) => sum + (catalogue.get(id ?? "")?.points ?? 0), 0);
	return points === view?.scores[seat] ? 0 : points;
}

/** @param {Game} game  @param {number} seat */
function standing(game, seat) {
	const {winners, losers} = game.view?.result ?? game.result ?? {};
	return winners?.includes(seat) ? "won" : losers?.includes(seat) ? "lost" : "";
}

/** The trick that the last move completed; it stays after the end.
 * @param {Entry[]} entries */
export function overlayOf(entries) {
	const moves = entries.at(-1)?.type === "finished" ? entries.slice(0, -1) : entries;
	return completedTrick(moves.at(-1), moves.slice(0, -1));
}

/** Cards with keys: equal cards have different ones.
 * @param {Cards} cards  @param {number} [from] */
function keyed(cards, from = 0) {
	const seen = new Map();
	return cards.map((id, i) => {
		const nth = (seen.get(id) ?? 0) + 1;
		seen.set(id, nth);
		return {card: id, index: from + i, key: `${id}·${nth}·`};
	});
}

/** @param {HTMLElement} row */
function oneStop(row) {
	const cards = [.../** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll(":scope > button"))];
	const canPlay = one => !one.hasAttribute("aria-disabled");
	return onlyStop(cards, cards.find(one => one.matches(":focus")) ?? cards.find(one => one.tabIndex === 0 && canPlay(one)) ?? cards.find(canPlay) ?? cards[0]);
}

/** Make one of the cards the tab stop.
 * @param {HTMLElement[]} cards  @param {HTMLElement} current */
function onlyStop(cards, current) {
	for (const one of cards) one.tabIndex = one === current ? 0 : -1;
	return current;
}

function rove(event) {
	const cards = [...event.target.closest("button.card")?.parentElement.querySelectorAll("button.card") ?? []];
	const next = neighbour(event, cards, "ArrowLeft", "ArrowRight");
	if (next) onlyStop(cards, next).focus();
}
