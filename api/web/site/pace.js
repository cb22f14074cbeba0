// @ts-check
// The pace of a new game: one of a few, or an own one, and what it means in a sentence.

import {$, h, text} from "../table/dom.js";
import {paceSentence} from "./pace-words.js";

/** @type {[string, string, object | null][]} */
const PACES = [
	["", "now, without clocks", null],
	["day", "a day a move", {per_move: "P1D", reserve: "P1D", vacation_days: 7}],
	["three", "three days a move", {per_move: "P3D", reserve: "P3D", vacation_days: 14}],
	["week", "a week a move", {per_move: "P7D", reserve: "P7D", vacation_days: 21}],
	["own", "my own pace", null],
];
const LATE = [["resign", "the player loses"], ["bot", "a careful bot moves"], ["random_move", "a random move is made"]];

/** The pace that is chosen, or null for none. */
export function chosenPace() {
	const {pace, per_move: move, unit, reserve, vacation, weekends, hours, late} = $("play").elements;
	if (!pace.value) return null;
	const days = n => (Number(n) > 0 ? `P${n}D` : null);
	const preset = PACES.find(([name]) => name === pace.value)?.[2];
	const own = {
		per_move: unit.value === "days" ? `P${move.value}D` : `PT${move.value}${unit.value === "hours" ? "H" : "M"}`,
		reserve: days(reserve.value), vacation_days: Number(vacation.value),
	};
	return {
		...(preset ?? own), on_timeout: late.value, quiet_weekends: weekends.checked,
		...(hours.checked ? {own_hours: "P1D"} : {}),
	};
}

function draw() {
	const pace = chosenPace();
	$("pace-more").hidden = !pace;
	$("pace-own").hidden = $("pace").value !== "own";
	text($("pace-words"), pace ? paceSentence(pace) : "");
}

export function beginPace() {
	$("pace").append(...PACES.map(([value, words]) => h("option", {value}, words)));
	$("late").append(...LATE.map(([value, words]) => h("option", {value}, words)));
	for (const part of ["pace", "pace-more", "pace-own"]) $(part).addEventListener("input", draw);
	draw();
}
