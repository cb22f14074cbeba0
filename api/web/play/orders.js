// @ts-check
// The dialog of standing orders: moves to play at one's turn, each with its conditions.

import {ask, fill, h, text} from "../table/dom.js";
import {short} from "../cards/cards.js";
import {fieldsOf, isTalk, zonesOf} from "../model/compose.js";
import {nameOf, suitText} from "../model/model.js";
import {capital, list as listed, place, t, words} from "../texts.js";

/** @import {Field, Order} from "../types.d.ts" */
/** @import {Orders} from "../game/orders.js" */

const IF_ILLEGAL = {
	cancel: t("give up all orders"), skip: t("give up this one and try the next"), wait: t("keep it for a later turn"),
};

/** @param {Orders} orders */
export async function editOrders(orders) {
	const {app} = orders;
	await orders.load();
	const says = h("p", {role: "status"});
	const chain = h("ol.chain");
	const none = h("p", t("There are none."));
	const done = refused => {
		text(says, refused);
		draw();
	};
	const draw = () => {
		none.hidden = orders.list.length > 0;
		removeAll.hidden = none.hidden === false;
		fill(chain);
		chain.append(...orders.list.map((order, n) => h("li", `${inWords(order, orders)} `, h("button.clear", {"aria-label": t("Remove order {n}", {n: n + 1}),
			onclick: async () => done(await orders.change(list => list.filter(one => one !== order)))}, "✕"))));
	};
	const removeAll = h("button.clear", {onclick: async () => done(await orders.change(() => []))}, t("Remove all"));
	const form = orderForm(orders);
	const add = h("button.send", {onclick: async () => {
		const order = form.given();
		const refused = await orders.change(list => [...list, order]);
		if (!refused) form.clear();
		done(refused);
	}}, t("Add"));
	draw();
	await ask(app.frame, t("Standing orders"), [
		h("p", t("Each is played as soon as it is your turn, if it is legal then. Nobody else sees them.")),
		orders.cancelled && h("p", orders.fate(orders.cancelled)),
		orders.isHeld && h("p", t("They rest until you have moved, because you took a move back.")),
		says, none, chain, removeAll, h("h3", t("Another one")), form.root, add,
	].filter(Boolean));
}

/** An order with its conditions, in a sentence. @param {Order} order  @param {Orders} orders */
function inWords({move, when = [], if_illegal: otherwise, repeat}, orders) {
	const {app: {newest}} = orders;
	const conditions = when.map(({seat, move: {type, ...rest}}) => {
		const name = nameOf(newest, seat);
		const what = Object.keys(rest).length || type ? orders.words({type: type ?? "moves", ...rest}) : "";
		return t("{name} has just made this move: {move}", {name, move: what});
	});
	return [orders.words(move), conditions.length && t("only if {conditions}", {conditions: listed(conditions)}),
		otherwise && otherwise !== "cancel" && t("if it is not legal: {otherwise}", {otherwise: IF_ILLEGAL[otherwise]}),
		repeat && t("again at every turn")].filter(Boolean).join("; ");
}

/** The form for another order. @param {Orders} orders */
function orderForm(orders) {
	const {app: {ruleset, newest}, seat} = orders;
	const kinds = Object.entries(ruleset.moves).filter(([, spec]) => !isTalk(spec)).map(([type]) => type);
	const move = moveForm(orders, t("Kind of move"), kinds, false);
	const condition = moveForm(orders, t("has just made the move"), kinds, true);
	const others = newest.seats.filter(one => one.seat !== seat);
	const who = h("select", {"aria-label": t("Only if this player")}, h("option", {value: ""}, t("no condition")),
		...others.map(one => h("option", {value: one.seat}, nameOf(newest, one.seat))));
	const made = h("div");
	who.onchange = () => made.replaceChildren(...(who.value ? [condition.root] : []));
	const otherwise = h("select", Object.entries(IF_ILLEGAL).map(([value, label]) => h("option", {value}, label)));
	const repeat = h("input", {type: "checkbox"});
	return {
		root: h("div.ordering", move.root, h("label.field", t("Only if this player"), " ", who), made,
			h("label.field", t("If it is not legal then"), " ", otherwise), h("label.field.flag", repeat, t("Play it again at every turn"))),
		/** @returns {Order} */
		given: () => ({
			move: move.given(),
			...(who.value && {when: [{seat: Number(who.value), move: condition.given()}]}),
			...(otherwise.value !== "cancel" && {if_illegal: /** @type {"skip"} */ (otherwise.value)}),
			...(repeat.checked && {repeat: true}),
		}),
		clear() {
			who.value = "";
			otherwise.value = "cancel";
			repeat.checked = false;
			made.replaceChildren();
			move.draw();
		},
	};
}

/** A kind of move and its fields; those of a condition may all be left out.
 * @param {Orders} orders  @param {string} label  @param {string[]} kinds  @param {boolean} isCondition */
function moveForm(orders, label, kinds, isCondition) {
	const {app: {ruleset}} = orders;
	const kind = h("select", {"aria-label": label}, ...kinds.map(type => h("option", {value: type}, capital(words(type)))));
	const inputs = h("div.fields");
	const draw = () => inputs.replaceChildren(...fieldsOf(ruleset.moves[kind.value]).map(field => input(field, orders, kind.value, isCondition)));
	kind.onchange = draw;
	draw();
	return {
		root: h("div.move", h("label.field", `${label} `, kind), inputs), draw,
		given: () => ({type: kind.value, ...Object.assign({}, ...[...inputs.children].map((/** @type {any} */ each) => each.given()))}),
	};
}

/** The cards of a field: those that lie where it takes them from and are not laid out; of a condition, all of the game.
 * @param {Field} schema  @param {Orders} orders  @param {string} type  @param {boolean} isCondition  @returns {string[]} */
function cardsFor(schema, orders, type, isCondition) {
	const {app, seat} = orders;
	if (isCondition) return [...app.catalogue.keys()];
	const zones = app.newest.view?.zones ?? {};
	const taken = orders.laid(zones);
	/** @type {any} */
	const table = {specs: app.ruleset.moves, seat, zones};
	return zonesOf(schema, {type}, table).flatMap(zone => (Array.isArray(zones[zone]) ? zones[zone] : [])
		.filter((card, i) => card !== null && !((place(zone)[1] === seat && taken[zone]?.[i] >= 0)))).map(String);
}

/** A field of a move, with `given`: its value.
 * @param {import("../types.d.ts").NamedField} field  @param {Orders} orders  @param {string} type  @param {boolean} isCondition */
function input([name, schema, kind], orders, type, isCondition) {
	const {app} = orders;
	const label = capital(words(name));
	if (kind === "cards" && !isCondition) {
		const boxes = cardsFor(schema, orders, type, false).map(id => h("label.pick", h("input", {type: "checkbox", name, value: id}), short(id, app.catalogue)));
		const chosen = () => boxes.flatMap(each => {
			const box = /** @type {HTMLInputElement} */ (each.firstElementChild);
			return box.checked ? [box.value] : [];
		});
		return Object.assign(h("fieldset.picks", h("legend", label), ...boxes), {given: () => ({[name]: chosen()})});
	}
	if (kind === "flag") {
		const box = h("input", {type: "checkbox", name});
		return Object.assign(h("label.field.flag", box, label), {given: () => (box.checked ? {[name]: true} : {})});
	}
	const isCard = kind === "card" || kind === "cards";
	const choices = isCard ? [...new Set(cardsFor(schema, orders, type, isCondition))].map(id => [id, short(id, app.catalogue)])
		: kind === "seat" ? app.newest.seats.map(({seat}) => [seat, nameOf(app.newest, seat)]) : schema.enum?.map(each => [each, suitText(each)]);
	const field = choices
		? h("select", {name}, h("option", {value: ""}, isCondition ? t("any") : "–"), ...choices.map(([value, shown]) => h("option", {value}, shown)))
		: h("input", {name, type: "number", placeholder: isCondition ? t("any") : ""});
	const read = value => (kind === "cards" ? [value] : isCard || Number.isNaN(Number(value)) ? value : Number(value));
	return Object.assign(h("label.field", `${label} `, field), {given: () => (field.value ? {[name]: read(field.value)} : {})});
}
