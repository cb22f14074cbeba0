// @ts-check
// Loaded only where wanted: the dialog about the look of the table, and the sound or vibration that calls its player.

import {BACKS, dress, FELTS} from "./cards.js";
import {ask, h} from "../table/dom.js";
import {chosen, choose, prefer, preference} from "../game/storage.js";
import {capital, t} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

const NAMES = {
	green: t("green"), blue: t("blue"), plum: t("plum"), teal: t("teal"), brick: t("brick"), slate: t("slate"),
	weave: t("weave"), stripes: t("stripes"), dots: t("dots"), plain: t("plain"),
};

/** Let the player choose the look of the table, and whether a turn is heard or felt.
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
	const box = (label, name) => h("label.field.flag", h("input", {type: "checkbox", checked: preference(name), onchange: ({target}) => {
		prefer(name, target.checked);
		if (target.checked) call();
	}}), label);
	await ask(app.frame, t("Look and sound"), [list(t("Table"), "felt", FELTS, [h("option", {value: ""}, t("A colour for each game"))]), list(t("Backs"), "back", BACKS, []),
		box(t("A sound when it is my turn"), "sound"), box(t("Vibrate when it is my turn"), "vibration")]);
}

let audio = null;

/** Tell players that it is their turn, in the ways that they chose. */
export function call() {
	if (preference("vibration")) navigator.vibrate?.([60, 40, 60]);
	if (!preference("sound") || typeof AudioContext !== "function") return;
	audio ??= new AudioContext();
	const [tone, volume] = [audio.createOscillator(), audio.createGain()];
	tone.frequency.setValueAtTime(660, audio.currentTime);
	tone.frequency.setValueAtTime(880, audio.currentTime + 0.12);
	volume.gain.setValueAtTime(0.12, audio.currentTime);
	volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
	tone.connect(volume).connect(audio.destination);
	tone.start();
	tone.stop(audio.currentTime + 0.4);
}
