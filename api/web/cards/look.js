// @ts-check
// How the table looks, and how it calls its player: felt and backs by choice, a sound or a vibration where wanted.

import {ask, h} from "../table/dom.js";
import {chosen, choose, prefer, preference} from "../game/storage.js";
import {capital} from "../model/words.js";

/** @import {TableApp} from "../table/app.js" */

const FELTS = ["green", "blue", "plum", "teal", "brick", "slate"];
const BACKS = ["weave", "stripes", "dots", "plain"];

/** A felt for each game, unless the player has chosen one for all.
 * @param {HTMLElement} root  @param {string} ruleset */
export function dress(root, ruleset) {
	const sum = [...ruleset].reduce((total, letter) => total + letter.charCodeAt(0), 0);
	root.dataset.felt = FELTS.includes(chosen("felt")) ? chosen("felt") : FELTS[sum % FELTS.length];
	root.dataset.back = BACKS.includes(chosen("back")) ? chosen("back") : BACKS[0];
}

/** Let the player choose the look of the table, and whether a turn is heard or felt.
 * @param {TableApp} app */
export async function chooseLook(app) {
	const {id} = app.ruleset;
	const list = (label, name, values, first) => {
		const select = h("select", {onchange: () => {
			choose(name, select.value);
			dress(app.frame, id);
		}}, ...first, ...values.map(value => h("option", {value, selected: chosen(name) === value}, capital(value))));
		return h("label.field", `${label} `, select);
	};
	const box = (label, name) => h("label.field.flag", h("input", {type: "checkbox", checked: preference(name), onchange: ({target}) => {
		prefer(name, target.checked);
		if (target.checked) call();
	}}), label);
	await ask(app.frame, "Look and sound", [list("Table", "felt", FELTS, [h("option", {value: ""}, "A colour for each game")]), list("Backs", "back", BACKS, []),
		box("A sound when it is my turn", "sound"), box("Vibrate when it is my turn", "vibration")]);
}

let audio = null;

/** Tell players that it is their turn, in the ways that they chose. */
export const callPlayer = () => (preference("sound") || preference("vibration") ? call() : undefined);

function call() {
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
