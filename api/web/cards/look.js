// @ts-check
// Loaded only where wanted: the dialog about the look of the table and its sounds.

import {BACKS, dress, FELTS} from "./cards.js";
import {play} from "./sound.js";
import {ask, h} from "../table/dom.js";
import {chosen, choose, prefer, preference} from "../game/storage.js";
import {capital, t} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

const NAMES = {
	green: t("green"), blue: t("blue"), plum: t("plum"), teal: t("teal"), brick: t("brick"), slate: t("slate"),
	weave: t("weave"), stripes: t("stripes"), dots: t("dots"), plain: t("plain"),
};

/** Let the player choose the look of the table, and whether it is heard or felt.
 * @param {TableApp} app */
export async function chooseLook(app) {
	const {id} = app.ruleset;
	const list = (label, name, values, first) => {
		const select = h("select", {onchange: () => {
			choose(name, select.value);
			dress(app.frame, id);
		}}, ...first, ...values.map(value => h("option", {value, selected: chosen(name) === value}, capital(NAMES[value]))));
		return h("label.field", `${label} `, select);
	};
	const box = (label, name, isOff = false) => h("label.field.flag", h("input", {type: "checkbox", checked: preference(name) !== isOff, onchange: ({target}) => {
		prefer(name, target.checked !== isOff);
		play("turn");
	}}), label);
	await ask(app.frame, t("Felt, backs and sounds"), [list(t("Table"), "felt", FELTS, [h("option", {value: ""}, t("A colour for each game"))]), list(t("Backs"), "back", BACKS, []),
		box(t("Sounds"), "no-sound", true), box(t("Vibrate when it is my turn"), "vibration")]);
}
