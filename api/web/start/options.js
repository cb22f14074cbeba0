// @ts-check
// The options of a new game, made of the ruleset's own declaration (JSON Schema), so that each game has all of its own.

import {$, h, patch} from "../table/dom.js";
import {english, t} from "../texts.js";

const MANY = 1000; // no field says that at most so many are allowed
const ONLY = {"bisca.partners": 4}; // the seats of the tables at which an option can be chosen
const CHOICES = {top: t("the top card"), table: t("the whole heap")};

/** What an option is called, in the words of its ruleset. @param {any} ruleset  @param {string} name  @param {string} description  @returns {string} */
export const told = (ruleset, name, description) => ruleset.words[`option ${english(name)}`] ?? description;

/** The schema of an option that may be null, which means that chance decides; and whether it may be. */
function valueOf(schema) {
	const one = schema.oneOf?.find(({type}) => type !== "null");
	return one ? {schema: one, isByChance: true} : {schema, isByChance: false};
}

function control(name, full, seats) {
	const {schema, isByChance} = valueOf(full);
	if (schema.type === "boolean") return h("input", {type: "checkbox", name, checked: full.default});
	if (isByChance) { // a seat
		return h("select", {name}, h("option", {value: ""}, t("drawn by lot")),
			...Array.from({length: seats}, (_, seat) => h("option", {value: seat}, seat ? t("Player {number}", {number: seat + 1}) : t("You"))));
	}
	if (schema.enum) return h("select", {name}, ...schema.enum.map(value => h("option", {value, selected: value === full.default}, CHOICES[value] ?? value)));
	return h("input", {type: "number", name, min: schema.minimum, max: schema.maximum > MANY ? undefined : schema.maximum, value: full.default, required: true});
}

/** Draw the options of a ruleset for so many seats; those that stay keep what was chosen.
 * @param {{id: string, options: any} | null} ruleset  @param {number} seats */
export function drawOptions(ruleset, seats) {
	const options = Object.entries(ruleset?.options.properties ?? {});
	patch($("options"), options, ([name, {oneOf}]) => `${ruleset?.id}.${name}${oneOf ? seats : ""}`, ([name, schema]) => {
		const made = control(`option.${name}`, schema, seats);
		const words = told(ruleset, name, schema.description);
		return made.type === "checkbox" ? h("label.check", made, ` ${words}`) : h("label", `${words} `, made);
	}, (label, [name]) => {
		const needed = ONLY[`${ruleset?.id}.${name}`];
		if (needed) label.querySelector("input").disabled = needed !== seats;
	});
}

/** The options that are not as they usually are.
 * @param {{id: string, options: any} | null} ruleset */
export function chosenOptions(ruleset) {
	const {elements} = $("play");
	const chosen = Object.entries(ruleset?.options.properties ?? {}).map(([name, full]) => {
		const {schema, isByChance} = valueOf(full);
		const field = elements[`option.${name}`];
		const value = field.disabled ? full.default : schema.type === "boolean" ? field.checked : isByChance && field.value === "" ? null : schema.type === "integer" ? Number(field.value) : field.value;
		return [name, value, full.default];
	});
	return Object.fromEntries(chosen.filter(([, value, usual]) => value !== usual).map(([name, value]) => [name, value]));
}
