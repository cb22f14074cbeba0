// @ts-check
// The options of a new game, made of the ruleset's own declaration (JSON Schema), so that each game has all of its own.

import {$, h, patch} from "../table/dom.js";
import {t} from "../texts.js";

const MANY = 1000; // no field says that at most so many are allowed
const WORDS = {
	"bisca.target": t("Game points that end the game"),
	"bisca.partners": t("Two against two, with four seats"),
	"cats_and_dogs.first": t("Player who begins"),
	"dog_cards.youngest": t("Player who begins"),
	"dog_cards.start_cards": t("A row begins with a 1 or a 13, not with a joker"),
	"dog_cards.done_counts": t("A completed row counts towards the two that one may own"),
	"dog_cards.turn_limit": t("Turns after which nobody wins (0: no limit)"),
	"landlord.hands": t("Hands"),
	"landlord.attach_any": t("What is attached may be of the rank of the main part"),
	"mau_mau.must_play": t("Who can play may not draw instead"),
	"mau_mau.ace_wild": t("An ace fits on every card"),
	"mau_mau.strict_last": t("No special card may be the last one"),
	"mau_mau.start_acts": t("A special card turned up at the start acts"),
	"palace.out_of_turn": t("Four of a kind may be completed out of turn"),
	"palace.move_limit": t("Moves after which the game stops (0: no limit)"),
	"pedro.target": t("Points that end the game"),
	"pedro.defenders_score": t("A made bid leaves the other pair its points"),
	"pies.blocking": t("What blocks"),
	"pies.recolour": t("Every queen of clubs sets the colours anew"),
	"pies.move_limit": t("Moves after which nobody wins (0: no limit)"),
	"truco.target": t("Points that win the game"),
	"truco.stake": t("Points of a hand before any truco"),
	"truco.doublings": t("Accepted trucos in a hand (0: any number)"),
};
const ONLY = {"bisca.partners": 4}; // the seats of the tables at which an option can be chosen
const CHOICES = {top: t("the top card"), table: t("the whole heap")};

/** What an option is called. @param {string | undefined} ruleset  @param {string} name  @param {string} description */
export const told = (ruleset, name, description) => WORDS[`${ruleset}.${name}`] ?? description;

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
		const words = told(ruleset?.id, name, schema.description);
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
