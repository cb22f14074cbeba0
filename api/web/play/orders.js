// @ts-check
// Standing orders: moves to play at one's turn, if legal then.

import {fieldsOf} from "../model/compose.js";
import {describe} from "../model/describe.js";
import {ask, h} from "../table/dom.js";
import {short} from "../cards/cards.js";
import {isTalk, suitText} from "../model/model.js";
import {capital, words} from "../model/words.js";

/** @import {Field, Kind} from "../types.d.ts" */
/** @import {TableApp} from "../table/app.js" */

const CHANGED = "The orders were changed elsewhere meanwhile, so nothing was done. These are the current ones.";

/** @param {TableApp} app  @param {any} [said] */
export async function orders(app, said = "") {
	const path = `/orders?seat=${app.seat}`;
	const shown = await app.live.api.request(app.live.path + path);
	const headers = {"If-Match": shown.headers.get("ETag")};
	const {orders: present, cancelled} = await shown.json();
	const zones = app.newest.view?.zones ?? {};
	const held = [...new Set(Object.entries(zones).flatMap(([name, cards]) =>
		(name.endsWith(`.${app.seat}`) && Array.isArray(cards) ? cards.filter(Boolean) : [])))];
	/** @type {any} */
	const table = {specs: app.ruleset.moves, seat: app.seat, zones};
	const list = present.length ? h("ol", ...present.map(({move}) => h("li", describe(move, table, app.bar.wording())))) : h("p", "There are none.");
	const types = Object.entries(app.ruleset.moves).filter(([, spec]) => !isTalk(spec));
	const kind = h("select", {"aria-label": "Kind of move"}, ...types.map(([type]) => h("option", {value: type}, capital(words(type)))));
	const inputs = h("div.fields");
	const draw = () => inputs.replaceChildren(...fieldsOf(app.ruleset.moves[kind.value]).map(([name, schema, sort]) =>
		input(name, schema, sort, held, app)));
	kind.onchange = draw;
	draw();
	const content = [said && h("p", {role: "status"}, said), list, cancelled && h("p", `The last orders were cancelled: ${cancelled.verdict.reason}.`),
		h("p", "Add a move to play as soon as it is your turn:"), kind, inputs].filter(Boolean);
	const wanted = await ask(app.frame, "Standing orders", content, [["", "Close"], ["none", "Remove all"], ["add", "Add"]]);
	try {
		if (wanted === "none") await app.live.request(path, {method: "DELETE", headers});
		if (wanted === "add") {
			const move = {type: kind.value, ...Object.assign({}, ...[...inputs.children].map((/** @type {any} */ each) => each.given()))};
			await app.live.request("/orders", {method: "PUT", headers, body: await app.live.signed("/orders", {seat: app.seat, orders: [...present, {move}]})});
		}
	} catch (error) {
		if (error.status === 412) return orders(app, CHANGED);
		app.note(error.message);
	}
}

/** A field of a move, with `given`: its value.
 * @param {string} name  @param {Field} schema  @param {Kind} kind  @param {TableApp} app */
function input(name, schema, kind, held, app) {
	const isCard = kind === "card" || kind === "cards";
	const choices = isCard ? held.map(id => [id, short(id, app.catalogue)]) : schema.enum?.map(each => [each, suitText(each)]);
	const field = choices
		? h("select", {name}, h("option", {value: ""}, "–"), ...choices.map(([value, label]) => h("option", {value}, label)))
		: h("input", {name, type: "number"});
	const read = text => (kind === "cards" ? [text] : isCard || Number.isNaN(Number(text)) ? text : Number(text));
	return Object.assign(h("label.field", `${capital(words(name))} `, field), {given: () => (field.value ? {[name]: read(field.value)} : {})});
}
