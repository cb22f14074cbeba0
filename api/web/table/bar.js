// @ts-check
// The action bar: moves without cards, choosers for suits and numbers, the button that sends.

import {face, short} from "../cards/cards.js";
import {portrait} from "../cards/portrait.js";
import {bdi, change, fill, h, patch, text} from "./dom.js";
import {callsIn, fieldsOf, isTalk, MANY, middle} from "../model/compose.js";
import {describe, nameOf, suitText} from "../model/model.js";
import {capital, list, place, refusal, sentenceOf, SUIT_NAMES, t, tn, words, zoneName} from "../texts.js";

/** @import {Field, Kind, Offer} from "../types.d.ts" */

const LINE = 6; // values in a row of a phone
const FEW = 2; // cards that are named in words
const MOST = 6; // cards that a button names; more are counted
const RULE = t("Rule");
const TAP = t("Tap cards to lay out your next move.");

export class Bar {
	constructor(act) {
		this.act = act;
		this.types = h("div.types", {role: "group", "aria-label": t("Kinds of moves")});
		this.fields = h("div.fields");
		this.confirm = h("div.confirm");
		this.says = h("p.says", {role: "status"});
		this.advice = h("p.advice", {role: "status", tabindex: "0"}); // in the place of what is said
		this.root = h("div.bar", {role: "group", "aria-label": t("Your move")},
			h("div.choosing", this.types, this.fields), this.confirm, this.says, this.advice);
	}

	draw(shown) {
		this.shown = shown;
		const {table, options, idle, choice, ahead, says} = shown;
		const isIdle = !table && !choice.picks.length;
		this.root.classList.toggle("idle", isIdle);
		this.root.classList.toggle("wide-choices", isWide(shown.ruleset));
		this.root.classList.toggle("watching", shown.game.viewer?.seats?.[0] === undefined);
		if (isIdle || !options) {
			patch(this.types, [], String, () => null);
			patch(this.fields, [], String, () => null);
			const buttons = [...this.laidOut(), ...(shown.afterwards ?? []).map(([label, run, kind]) => [label, {run}, "", kind])];
			patch(this.confirm, buttons, ([label]) => label, ([label, , title, kind = ""]) => h("button", {class: title ? "laid" : `send ${kind}`}, label), (button, [label, act, title]) =>
				change(button, {title: title || false, "aria-label": title ? `${label}: ${title}` : false, onclick: () => this.act(act)}));
			this.say(says ?? (ahead && !shown.orders.list.length ? `${idle} ${TAP}` : idle ?? ""));
			return;
		}
		this.drawTypes(options.types);
		const isTalking = options.fields.some(({kind}) => kind === "text");
		patch(this.fields, isTalking ? [] : options.fields, ({name, kind}) => name + kind, field => this.makeField(field), (element, field) => element.show(field));
		this.drawConfirm();
	}

	/** Send the chosen move if there is exactly one; else return false. */
	send() {
		/** @type {NodeListOf<HTMLButtonElement>} */
		const found = this.confirm.querySelectorAll("button.send:not(:disabled)");
		if (found.length !== 1) return false;
		found[0].click();
		return true;
	}

	drawTypes(types) {
		const {ruleset, game} = this.shown;
		const facts = Object.entries(game.view?.facts ?? {});
		const numbers = Object.fromEntries(facts.flatMap(([name, value]) => [[name, value], [`twice_${name}`, 2 * value]])); // a call doubles the stake
		const kinds = types.filter(({type}) => !isTalk(ruleset.moves[type])); // one talks beside the table
		const shown = kinds.filter(one => one.move || kinds.filter(({move}) => !move).length > 1);
		patch(this.types, shown, ({type}) => type, ({type}) => h("button", {"data-type": type}),
			(element, {type, move, isChosen, isOpen}) => {
				text(element, capital(t(sentenceOf("may", type) || words(type), numbers)));
				element.className = move ? `direct${isChosen ? " tipped" : ""}` : "kind";
				change(element, {"aria-pressed": move ? false : String(isChosen), disabled: this.shown.sending || (!isOpen && !isChosen),
					onclick: () => this.act(move ? {send: move} : {type})});
			});
	}

	/** The moves that are laid out for later turns, as buttons that take them back; on the own turn one that shows them all. */
	laidOut() {
		const {orders, canRemove} = this.shown;
		if (!orders?.list.length) return [];
		if (!canRemove) return [[t("Orders: {n}", {n: orders.list.length}), {run: () => orders.edit()}]];
		return orders.list.map(({move, when}, n) => [`${n + 1}. ${orders.words(move)}${when ? " …" : ""} ✕`, {remove: n}, t("Laid out for your turn. Press to take it back.")]);
	}

	/** How a move is put into words: shortly on buttons, with signs, or as one would say it. */
	wording(isSpoken = false) {
		const {game, catalogue} = this.shown;
		const brief = id => (catalogue.get(id)?.suit ? short(id, catalogue) : face(id, catalogue).name);
		const card = id => (isSpoken ? theCard(face(id, catalogue).name) : brief(id));
		return {
			card, text: words => `“${words}”`, suit: suit => (isSpoken && SUIT_NAMES[suit]) || suitText(suit), seat: seat => nameOf(game, seat),
			cards: ids => (isSpoken && ids.length <= FEW ? list(ids.map(card)) : isSpoken || ids.length <= MOST ? ids.map(brief).join(" ") : tn("{n} card", "{n} cards", ids.length)),
			zone: name => {
				const [base, seat] = place(name);
				const values = {zone: zoneName(base), name: seat === null ? "" : nameOf(game, seat)};
				return seat === null ? t("the {zone}", values) : game.viewer.seats.includes(seat) ? t("your {zone}", values) : t("{name}’s {zone}", values);
			},
		};
	}

	/** An element for a field, with `show`, which updates it. */
	makeField({name, kind, schema, values = []}) {
		const question = sentenceOf("ask", name);
		const label = capital(question || words(name));
		const put = value => this.act({values: {[name]: value}, put: true});
		const shows = (element, show) => Object.assign(element, {show});
		if (kind === "flag") {
			const box = h("input", {type: "checkbox", onchange: () => put(box.checked)});
			return shows(h("label.field.flag", box, label), ({value}) => (box.checked = value === true));
		}
		if (values.length > MANY) {
			const [low, high] = [Math.min(...values), Math.max(...values)];
			const slider = h("input", {type: "range", min: low, max: high, "aria-label": label, oninput: () => put(Number(slider.value))});
			const output = h("output");
			const step = (by, says, sign) => h("button", {"aria-label": says,
				onclick: () => put(Math.max(low, Math.min(high, Number(slider.value) + by)))}, sign);
			return shows(h("div.field.range", step(-1, t("One less"), "−"), slider, output, step(1, t("One more"), "+")), field => {
				slider.value = field.value ?? middle(field.values);
				text(output, slider.value);
			});
		}
		const buttons = h("div.choices");
		const group = h("div.field.choices", {role: "group", "aria-label": label}, question && h("span", {"aria-hidden": "true"}, question), buttons);
		return shows(group, ({values: now, value}) => patch(buttons, now, each => `v${each}`, () => h("button"), (button, each) => {
			fill(button, this.valueText(each, schema, kind));
			const spoken = schema["x-role"] === "suit" ? SUIT_NAMES[each] : false;
			change(button, {"aria-pressed": String(each === value), "aria-label": spoken, "data-value": each,
				class: "DH".includes(each) && spoken ? "value red" : "value", onclick: () => this.act({values: {[name]: each}})});
		}));
	}

	/** @param {any} value  @param {Field} schema  @param {Kind} kind */
	valueText(value, schema, kind) {
		if (kind === "seat") return bdi(nameOf(this.shown.game, value));
		return schema["x-role"] === "suit" ? suitText(value) : String(value);
	}

	drawConfirm() {
		const {options, table, choice, verdict, sending, ruleset} = this.shown;
		const {later = [], canAsk} = this.shown;
		const {confirm, dry, isEmpty} = options;
		const offered = dry ? [{move: dry, ok: verdict?.legal}] : confirm.slice(0, 4).map(move => ({move, ok: true}));
		const laid = later.map((move, i) => {
			const what = describe(move, table ?? this.shown.ahead, this.wording());
			const [label, title] = [later.length > 1 && !offered.length ? capital(what) : t("Next: {move}", {move: what}), t("Lay it out for your turn")];
			return {key: `send-later${i}`, label, title, act: {lay: move}, ok: !sending};
		});
		const fields = table?.moves.flatMap(({type}) => fieldsOf(ruleset.moves[type])) ?? [];
		const hasSets = fields.some(([, , kind]) => kind === "cards");
		const buttons = [
			...(this.hasTip(hasSets) ? [{key: hasSets && canAsk ? "tip sets" : "tip", label: t("Tip"), act: {tip: true}, ok: !sending}] : []),
			...(isEmpty ? [] : [{key: "clear", label: t("Clear"), ok: true}]),
			...offered.map(({move, ok}, i) => ({key: `send${i}`, label: capital(describe(move, table, this.wording())), act: {send: move}, ok: ok && !sending})),
			...laid,
			...(isEmpty ? this.laidOut().map(([label, act, title]) => ({key: `laid ${label}`, label, act, title, ok: true})) : [])];
		patch(this.confirm, buttons, ({key}) => key, ({key}) => h("button", {class: key.startsWith("send-") ? "send later" : key.startsWith("send") ? "send" : key.startsWith("laid") ? "laid" : key}),
			(button, {key, label, act = {[key]: true}, title, ok}) => {
				text(button, label);
				change(button, {disabled: !ok, title, "aria-label": title && `${label}: ${title}`, onclick: () => this.act(act)});
			});
		if (sending) this.say(typeof sending === "string" ? sending : t("Sending …"));
		else if (dry && verdict && !verdict.legal) this.say(verdict, this.advice);
		else if (this.shown.says) this.say(this.shown.says, this.advice);
		else if (dry && !verdict) this.say(t("Checking the move …"));
		else this.say(fields.some(([, schema]) => schema["x-zone"]) ? "" : this.about());
		this.root.classList.toggle("ready", [...offered, ...laid].some(({ok}) => ok) && choice.picks.length > 0);
	}

	/** Whether a tip can say something; a guide says it already. @param {boolean} hasSets */
	hasTip(hasSets) {
		const {table, canAsk} = this.shown;
		return table && canAsk !== null && (hasSets || canAsk || callsIn(table).length > 0);
	}

	/** What the guide of the game says of a move without cards, as a cut. */
	about() {
		const {table, tips, canAsk} = this.shown;
		return canAsk !== null && tips?.[table?.moves[0].type] || "";
	}

	/** Say something in the bar, or a reason or advice above the hand.
	 * @param {any} words  a text, or the verdict on a move */
	say(words, where = this.says) {
		text(where === this.says ? this.advice : this.says, "");
		const fresh = typeof words === "string" ? words : `${capital(refusal(words))}. ${RULE}`;
		if (where.textContent && where.textContent !== fresh) {// other words are another box: none that moves
			where.hidden = true;
			where.getBoundingClientRect();
			where.hidden = false;
		}
		if (typeof words === "string") return text(where, words);
		const {reason, rule, link} = words;
		const about = this.shown.home + (link ?? `/docs/rules/${rule.startsWith("common.") ? this.shown.ruleset.id : rule.split(".")[0]}#${rule}`);
		const said = refusal(words);
		return fill(where, h("span", {lang: said === reason && "en"}, `${capital(said)}. `), h("a", {href: about, "aria-label": `${RULE} ${rule}`, target: "_blank", rel: "noopener"}, RULE));
	}
}

/** Whether what is to be chosen needs two rows on a phone at some time: many kinds of moves, or many values of one.
 * @param {import("../types.d.ts").Ruleset} ruleset */
const isWide = ({moves}) => Object.values(moves).filter(spec => !isTalk(spec)).length > 8 || Object.values(moves).some(spec =>
	fieldsOf(spec).some(([, {minimum = 0, maximum = Infinity}, kind]) => kind === "number" && maximum - minimum > LINE));

/** Draw the button for another game, with the faces of who asks for one and who has agreed.
 * @param {HTMLElement} button  @param {Offer | null} again */
export function drawAgain(button, again) {
	fill(button, again && h("small", t("{name} would like to play again.", {name: again.name}), " "), t("Play again"), ...(again ? [h("span.badge.face", {"aria-hidden": "true"}, ...(again.faces ?? [again.player ?? again.name]).map(id => portrait(id, false)))] : []));
}

/** "the ace of hearts", but "cat 5". @param {string} name */
const theCard = name => (/[^\d] \d/.test(name) ? name : t("the {card}", {card: name}));

/** Return the buttons after the end: what else is possible stands in the result.
 * @param {import("./app.js").TableApp} app  @returns {[label: string, run: () => unknown, kind: string][]} */
export function afterwards(app) {
	return app.readonly || app.newest.status !== "finished" ? [] : [[t("Result"), () => app.complete().then(() => app.panel.showResult()), "to-result"]];
}
