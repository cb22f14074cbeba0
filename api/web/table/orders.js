// Standing orders: moves to be played as soon as it is one's turn, if they are legal then.

import {ask} from "./dialog.js";
import {describe, fieldsOf} from "../model/compose.js";
import {h} from "./dom.js";
import {short} from "./cards.js";
import {isTalk, suitText} from "../model/model.js";
import {capital, words} from "../model/words.js";

export async function orders(app) {
	const path = `/orders?seat=${app.seat}`;
	const {orders: present, cancelled} = await app.live.request(path);
	const zones = app.newest.view.zones;
	const held = [...new Set(Object.entries(zones).flatMap(([name, cards]) =>
		(name.endsWith(`.${app.seat}`) && Array.isArray(cards) ? cards.filter(Boolean) : [])))];
	const table = {specs: app.ruleset.moves, seat: app.seat, zones};
	const list = present.length ? h("ol", ...present.map(({move}) => h("li", describe(move, table, app.bar.say())))) : h("p", "There are none.");
	const made = [];
	const types = Object.entries(app.ruleset.moves).filter(([, spec]) => !isTalk(spec));
	const kind = h("select", {"aria-label": "Kind of move"}, ...types.map(([type]) => h("option", {value: type}, capital(words(type)))));
	const inputs = h("div.fields");
	const draw = () => inputs.replaceChildren(...fieldsOf(app.ruleset.moves[kind.value]).map(([name, schema, sort]) =>
		input(name, schema, sort, held, app)));
	kind.onchange = draw;
	draw();
	const content = [list, cancelled ? h("p", `The last ones were dropped: ${cancelled.verdict.reason}.`) : null,
		h("p", "Another move, to be played as soon as it is your turn:"), kind, inputs].filter(Boolean);
	const wanted = await ask(app.app, "Standing orders", content, [["", "Close"], ["none", "Remove all"], ["add", "Add"]]);
	try {
		if (wanted === "none") await app.live.request(path, {method: "DELETE"});
		if (wanted === "add") {
			for (const each of inputs.children) {
				const field = each.lastElementChild;
				if (field.value !== "") made.push([field.name, field.dataset.kind === "cards" ? [field.value] : field.dataset.kind === "card" || field.tagName === "SELECT" && Number.isNaN(Number(field.value)) ? field.value : Number(field.value)]);
			}
			const move = {type: kind.value, ...Object.fromEntries(made)};
			await app.live.request("/orders", {method: "PUT", body: await app.live.signed("/orders", {seat: app.seat, orders: [...present, {move}]})});
		}
	} catch (error) {
		app.note(error.message);
	}
}

function input(name, schema, kind, held, app) {
	const choices = kind === "card" || kind === "cards" ? held.map(id => [id, short(id, app.catalogue)]) : schema.enum?.map(each => [each, suitText(each)]);
	const given = choices
		? h("select", {name, "data-kind": kind}, h("option", {value: ""}, "–"), ...choices.map(([value, label]) => h("option", {value}, label)))
		: h("input", {name, type: "number", "data-kind": kind});
	return h("label.field", `${capital(words(name))} `, given);
}
