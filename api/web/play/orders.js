// @ts-check
// The dialog of standing orders: moves to play at one's turn, one after the other.

import {ask, fill, h, text} from "../table/dom.js";
import {short} from "../cards/cards.js";
import {fieldsOf, isTalk, zonesOf} from "../model/compose.js";
import {nameOf, suitText} from "../model/model.js";
import {capital, place, t, words} from "../texts.js";

/** @import {Field, Order} from "../types.d.ts" */
/** @import {Orders} from "../game/orders.js" */

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
		chain.append(...orders.list.map((order, n) => h("li", `${orders.words(order.move)} `, h("button.clear", {"aria-label": t("Remove order {n}", {n: n + 1}),
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
		says, none, chain, removeAll, h("h3", t("Add an order")), form.root, add,
	].filter(Boolean));
}

/** The form for another order. @param {Orders} orders */
function orderForm(orders) {
	const {app: {ruleset, newest}} = orders;
	// Those of this phase come first.
	const kinds = [...new Set([...ruleset.phases[newest.view?.phase ?? ""] ?? [], ...Object.keys(ruleset.moves)])].filter(type => !isTalk(ruleset.moves[type]));
	const label = t("Kind of move");
	const kind = h("select", {"aria-label": label}, ...kinds.map(type => h("option", {value: type}, capital(words(type)))));
	const inputs = h("div.fields");
	const draw = () => inputs.replaceChildren(...fieldsOf(ruleset.moves[kind.value]).map(field => input(field, orders, kind.value)));
	kind.onchange = draw;
	draw();
	return {
		root: h("div.ordering", h("div.move", h("label.field", `${label} `, kind), inputs)),
		clear: draw,
		/** @returns {Order} */
		given: () => ({move: {type: kind.value, ...Object.assign({}, ...[...inputs.children].map((/** @type {any} */ each) => each.given()))}}),
	};
}

/** The cards of a field: those that lie where it takes them from and are not laid out.
 * @param {Field} schema  @param {Orders} orders  @param {string} type  @returns {string[]} */
function cardsFor(schema, orders, type) {
	const {app, seat} = orders;
	const zones = app.newest.view?.zones ?? {};
	const taken = orders.laid(zones);
	/** @type {any} */
	const table = {specs: app.ruleset.moves, seat, zones};
	return zonesOf(schema, {type}, table).flatMap(zone => (Array.isArray(zones[zone]) ? zones[zone] : [])
		.filter((card, i) => card !== null && !((place(zone)[1] === seat && taken[zone]?.[i] >= 0)))).map(String);
}

/** A field of a move, with `given`: its value.
 * @param {import("../types.d.ts").NamedField} field  @param {Orders} orders  @param {string} type */
function input([name, schema, kind], orders, type) {
	const {app} = orders;
	const label = capital(words(name));
	if (kind === "cards") {
		const boxes = cardsFor(schema, orders, type).map(id => h("label.pick", h("input", {type: "checkbox", name, value: id}), short(id, app.catalogue)));
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
	const isCard = kind === "card";
	const choices = isCard ? [...new Set(cardsFor(schema, orders, type))].map(id => [id, short(id, app.catalogue)])
		: kind === "seat" ? app.newest.seats.map(({seat}) => [seat, nameOf(app.newest, seat)]) : schema.enum?.map(each => [each, suitText(each)]);
	const field = choices
		? h("select", {name}, h("option", {value: ""}, "–"), ...choices.map(([value, shown]) => h("option", {value}, shown)))
		: h("input", {name, type: "number"});
	const read = value => (isCard || Number.isNaN(Number(value)) ? value : Number(value));
	return Object.assign(h("label.field", `${label} `, field), {given: () => (field.value ? {[name]: read(field.value)} : {})});
}
