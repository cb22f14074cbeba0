// @ts-check
// Which notices a player gets, and when: mail, push messages, hours, calendar.

import {$, fill, h, text} from "../table/dom.js";
import {capital} from "../model/words.js";
import {isSubscribed, togglePush} from "../pages/notices.js";

const KINDS = [
	["It is my turn", ["turn.began"]],
	["My time is nearly over", ["turn.warning"]],
	["Somebody asks me to move", ["turn.nudged"]],
	["I was too late, or my orders could not be played", ["turn.timed_out", "orders.cancelled"]],
	["A game begins, or I am invited to one", ["game.started", "reveal.due", "game.invited"]],
	["A game ends, or somebody resigns", ["game.finished", "game.cancelled", "seat.resigned"]],
	["Somebody asks for something: to take back, to pause, to replace a player", ["take_back.requested", "pause.agreed", "replacement.agreed"]],
	["A pause begins or ends, a deadline moves, a player is replaced", ["game.paused", "game.resumed", "deadline.moved", "seat.replaced"]],
	["Somebody goes on vacation", ["vacation.taken"]],
	["Somebody writes a message", ["message.posted"]],
];
const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

let preferences = {};

export async function begin(api, shown, player, act) {
	preferences = shown;
	const change = body => act(async () => {
		preferences = await api.json("/v1/me/preferences", {method: "PATCH", body});
	});
	drawMail(change);
	drawHours(change);
	await Promise.all([drawPush(api, player, act), drawCalendar(api, act)]);
}

function drawMail(change) {
	for (const name of ["frequency", "digest_at", "time_zone"]) {
		$(name).value = preferences[name];
		$(name).addEventListener("change", () => change({[name]: $(name).value}));
	}
	fill($("zones"), ...(Intl.supportedValuesOf?.("timeZone") ?? []).map(value => h("option", {value})));
	const box = (channel, words, events) => {
		const input = h("input", {type: "checkbox", "aria-label": `${words}: ${channel}`, onchange: () => {
			const others = preferences[channel].filter(event => !events.includes(event));
			change({[channel]: input.checked ? [...others, ...events] : others});
		}});
		input.checked = events.some(event => preferences[channel].includes(event));
		return h("td", h("label", input));
	};
	$("kinds").tBodies[0].replaceChildren(...KINDS.map(([words, events]) => h("tr", h("th", {scope: "row"}, words),
		...["mail", "push"].map(channel => box(channel, words, events)))));
}

function drawHours(change) {
	const [from, until] = [$("sleep-from"), $("sleep-until")];
	[from.value, until.value] = [preferences.sleep?.from ?? "", preferences.sleep?.until ?? ""];
	for (const input of [from, until]) {
		input.addEventListener("change", () => {
			if (Boolean(from.value) === Boolean(until.value)) change({sleep: from.value ? {from: from.value, until: until.value} : null});
		});
	}
	$("days_off").append(...DAYS.map(day => {
		const input = h("input", {type: "checkbox", onchange: () => change({
			days_off: input.checked ? [...preferences.days_off, day] : preferences.days_off.filter(other => other !== day),
		})});
		input.checked = preferences.days_off.includes(day);
		return h("label", input, capital(day));
	}));
}

async function drawPush(api, player, act) {
	const draw = async () => text($("push"), await isSubscribed(player.id) ? "Stop push messages on this device" : "Push messages on this device");
	$("push").addEventListener("click", () => act(async () => {
		const said = await togglePush(api, player.id);
		await draw();
		return said;
	}));
	await draw();
}

async function drawCalendar(api, act) {
	const draw = ({url}) => {
		$("calendar").hidden = $("calendar-off").hidden = !url;
		$("calendar").value = url ?? "";
		text($("calendar-new"), url ? "Replace the address" : "Switch the calendar on");
	};
	$("calendar-new").addEventListener("click", () => act(async () => draw(await api.json("/v1/me/calendar", {method: "PUT", body: {}}))));
	$("calendar-off").addEventListener("click", () => act(async () => {
		await api.json("/v1/me/calendar", {method: "DELETE"});
		draw({url: null});
	}));
	draw(await api.json("/v1/me/calendar"));
}
