// @ts-check
// The action bar: moves without cards, choosers for suits and numbers, the button that sends.

import {short} from "../cards/cards.js";
import {bdi, change, fill, h, patch, text} from "./dom.js";
import {fieldsOf, MANY, middle} from "../model/compose.js";
import {describe} from "../model/describe.js";
import {isTalk, nameOf, suitText} from "../model/model.js";
import {capital, place, SUIT_NAMES, words} from "../model/words.js";

/** @import {Field, Kind} from "../types.d.ts" */

export class Bar {
	constructor(act) {
		this.act = act;
		this.types = h("div.types", {role: "group", "aria-label": "Kinds of moves"});
		this.fields = h("div.fields");
		this.confirm = h("div.confirm");
		this.says = h("p.says", {role: "status"});
		this.root = h("div.bar", {role: "group", "aria-label": "Your move"},
			h("div.choosing", this.types, this.fields), this.says, this.confirm);
	}

	draw(shown) {
		this.shown = shown;
		const {table, options, idle} = shown;
		this.root.classList.toggle("idle", !table);
		if (!table || !options) {
			patch(this.types, [], String, () => null);
			patch(this.fields, [], String, () => null);
			const buttons = [...(shown.invites ?? []).map(({seat, invite}) => [`Invite to seat ${seat}`, {invite: [seat, invite]}]),
				...(shown.afterwards ?? []).map(([label, run]) => [label, {run}])];
			patch(this.confirm, buttons, ([label]) => label, ([label]) => h("button", {class: "send"}, label), (button, [, act]) => {
				button.onclick = () => this.act(act);
			});
			this.say(idle ?? "");
			return;
		}
		this.drawTypes(options.types);
		patch(this.fields, options.fields, ({name, kind}) => name + kind, field => this.makeField(field), (element, field) => element.show(field));
		this.drawConfirm();
	}

	drawTypes(types) {
		const {ruleset} = this.shown;
		const fielded = types.filter(({move, type}) => !move && !isTalk(ruleset.moves[type]));
		const shown = types.filter(one => one.move || fielded.length > 1 || isTalk(ruleset.moves[one.type]));
		patch(this.types, shown, ({type}) => type, ({type}) => h("button", {"data-type": type}, capital(words(type))),
			(element, {type, move, isChosen, isOpen}) => {
				element.className = move ? "direct" : isTalk(ruleset.moves[type]) ? "talk" : "kind";
				change(element, {"aria-pressed": move && !isChosen ? false : String(isChosen), disabled: this.shown.sending || (!isOpen && !isChosen),
					onclick: () => this.act(move ? {send: move} : {type})});
			});
	}

	wording() {
		const {game, catalogue} = this.shown;
		return {
			card: id => short(id, catalogue), suit: suitText, seat: seat => nameOf(game, seat),
			zone: name => {
				const [base, seat] = place(name);
				const mine = game.viewer.seats.includes(seat);
				return seat === null ? `the ${words(base)}` : `${mine ? "your" : `${nameOf(game, seat)}’s`} ${words(base)}`;
			},
		};
	}

	/** An element for a field, with `show`, which updates it. */
	makeField({name, kind, schema, values = []}) {
		const label = capital(words(name));
		const put = value => this.act({values: {[name]: value}, put: true});
		const shows = (element, show) => Object.assign(element, {show});
		if (kind === "flag") {
			const box = h("input", {type: "checkbox", onchange: () => put(box.checked)});
			return shows(h("label.field.flag", box, label), ({value}) => (box.checked = value === true));
		}
		if (kind === "text") {
			const input = h("input", {type: "text", maxlength: schema.maxLength ?? 500, "aria-label": label, autocomplete: "off", dir: "auto",
				oninput: () => put(input.value)});
			return shows(h("div.field", input), ({value}) => {
				if (input.value !== value) input.value = value;
			});
		}
		if (values.length > MANY) {
			const [low, high] = [Math.min(...values), Math.max(...values)];
			const slider = h("input", {type: "range", min: low, max: high, "aria-label": label, oninput: () => put(Number(slider.value))});
			const output = h("output");
			const step = (by, says, sign) => h("button", {"aria-label": says,
				onclick: () => put(Math.max(low, Math.min(high, Number(slider.value) + by)))}, sign);
			return shows(h("div.field.range", step(-1, "One less", "−"), slider, output, step(1, "One more", "+")), field => {
				slider.value = field.value ?? middle(field.values);
				text(output, slider.value);
			});
		}
		const group = h("div.field.choices", {role: "group", "aria-label": label});
		return shows(group, ({values: now, value}) => patch(group, now, each => `v${each}`, () => h("button"), (button, each) => {
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
		const {confirm, dry, isEmpty} = options;
		const offered = dry ? [{move: dry, ok: verdict?.legal}] : confirm.slice(0, 4).map(move => ({move, ok: true}));
		const hasSets = table.moves.some(({type}) => fieldsOf(ruleset.moves[type]).some(([, , kind]) => kind === "cards"));
		const buttons = [...offered.map(({move, ok}, i) => ({key: `send${i}`, label: describe(move, table, this.wording()), move, ok: ok && !sending})),
			...(this.shown.canAsk && choice.picks.length === 0 ? [{key: "tip", label: "Tip", ok: !sending}] : []),
			...(hasSets ? [{key: "hint", label: "Hint", ok: !sending}] : []),
			...(isEmpty ? [] : [{key: "clear", label: "Clear", ok: true}])];
		patch(this.confirm, buttons, ({key}) => key, ({key}) => h("button", {class: key.startsWith("send") ? "send" : key}),
			(button, {key, label, move, ok}) => {
				text(button, label);
				change(button, {disabled: !ok, onclick: () => this.act(move ? {send: move} : {[key]: true})});
			});
		if (sending) this.say(typeof sending === "string" ? sending : "Sending …");
		else if (dry && verdict && !verdict.legal) this.refuse(verdict);
		else if (this.shown.says) this.say(this.shown.says);
		else if (dry && !verdict) this.say("Checking the move …");
		else this.say("");
		this.root.classList.toggle("ready", offered.some(({ok}) => ok) && choice.picks.length > 0);
	}

	/** @param {string} words */
	say(words) {
		if (typeof words !== "string") return this.refuse(words);
		return text(this.says, words);
	}

	refuse({reason, rule, link}) {
		const about = this.shown.home + (link ?? `/docs/rules/${rule.startsWith("common.") ? this.shown.ruleset.id : rule.split(".")[0]}#${rule}`);
		fill(this.says, `${capital(reason)}. `, h("a", {href: about, target: "_blank", rel: "noopener"}, rule));
	}
}
