// @ts-check
// The pace of a new game: one of a few, or an own one, and what it means in a sentence.

import {$, h, text} from "../table/dom.js";
import {paceSentence} from "../site/pace-words.js";
import {t} from "../texts.js";

/** @type {[string, string, object | null][]} */
const PACES = [
	["", t("now, without clocks"), null],
	["day", t("a day a move"), {per_move: "P1D", reserve: "P1D", vacation_days: 7}],
	["three", t("three days a move"), {per_move: "P3D", reserve: "P3D", vacation_days: 14}],
	["week", t("a week a move"), {per_move: "P7D", reserve: "P7D", vacation_days: 21}],
	["own", t("my own pace"), null],
];
const LATE = [["resign", t("the player loses")], ["bot", t("a careful bot moves")], ["random_move", t("a random move is made")]];

/** The pace that is chosen, or null for none. */
export function chosenPace() {
	const {pace, per_move: move, unit, reserve, vacation, weekends, late, out} = $("play").elements;
	if (!pace.value) return null;
	const days = n => (Number(n) > 0 ? `P${n}D` : null);
	const preset = PACES.find(([name]) => name === pace.value)?.[2];
	const own = {
		per_move: unit.value === "days" ? `P${move.value}D` : `PT${move.value}${unit.value === "hours" ? "H" : "M"}`,
		reserve: days(reserve.value), vacation_days: Number(vacation.value),
	};
	const isOut = late.value !== "resign" && Number(out.value) > 0;
	return {
		...(preset ?? own), on_timeout: late.value,
		...(isOut ? {out_after: Number(out.value), stand_in: "cautious"} : {}),
		...(weekends.checked ? {quiet_weekends: true, weekends: offset()} : {}),
	};
}

/** How much later it is here than in UTC. */
function offset(now = new Date()) {
	const minutes = -now.getTimezoneOffset();
	const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(n => String(n).padStart(2, "0"));
	return `${minutes < 0 ? "-" : "+"}${hours}:${rest}`;
}

function draw() {
	const pace = chosenPace();
	$("pace-more").hidden = !pace;
	$("pace-own").hidden = $("pace").value !== "own";
	$("out-row").hidden = pace?.on_timeout === "resign";
	text($("pace-words"), pace ? paceSentence(pace) : "");
}

export function beginPace() {
	$("pace").append(...PACES.map(([value, words]) => h("option", {value}, words)));
	$("late").append(...LATE.map(([value, words]) => h("option", {value}, words)));
	for (const part of ["pace", "pace-more", "pace-own"]) $(part).addEventListener("input", draw);
	draw();
}
