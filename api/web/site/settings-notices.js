// @ts-check
// Which notices a player gets, and when: mail and push messages.

import {$, fill, h, text} from "../table/dom.js";
import {subscription, togglePush} from "../pages/notices.js";
import {t} from "../texts.js";

const KINDS = [
	[t("It is my turn"), ["turn.began"]],
	[t("My time is nearly over"), ["turn.warning"]],
	[t("Somebody asks me to move"), ["game.nudged"]],
	[t("I was too late, or my orders were cancelled"), ["game.timed_out", "orders.cancelled"]],
	[t("A game begins, or I am invited to one"), ["game.started", "reveal.due", "game.invited"]],
	[t("A game ends, or somebody resigns"), ["game.finished", "game.cancelled", "game.resigned"]],
	[t("Somebody asks for something: to take back, to pause, to end the game, to replace a player"), ["game.take_back_requested", "game.pause_agreed", "game.replacement_agreed", "game.ending_agreed"]],
	[t("A pause begins or ends, a deadline moves, a player is replaced"), ["game.paused", "game.resumed", "deadline.moved", "game.replaced"]],
	[t("Somebody goes on vacation"), ["game.vacation_taken"]],
	[t("Somebody writes a message"), ["game.said"]],
];
const CHANNELS = {mail: t("Mail"), push: t("Push")};

let preferences = {};

export async function begin(api, shown, player, act) {
	preferences = shown;
	const change = body => act(async () => {
		preferences = await api.json("/v1/me/preferences", {method: "PATCH", body});
	});
	drawMail(change);
	drawQuiet(change);
	await drawPush(api, player, act);
}

function drawMail(change) {
	for (const [id, name] of [["frequency", "frequency"], ["time_zone", "time_zone"], ["mail_language", "language"]]) {
		$(id).value = preferences[name];
		$(id).addEventListener("change", () => change({[name]: $(id).value}));
	}
	fill($("zones"), ...(Intl.supportedValuesOf?.("timeZone") ?? []).map(value => h("option", {value})));
	const box = (channel, words, events) => {
		const input = h("input", {type: "checkbox", "aria-label": `${words}: ${CHANNELS[channel]}`, onchange: () => {
			const others = preferences[channel].filter(event => !events.includes(event));
			change({[channel]: input.checked ? [...others, ...events] : others});
		}});
		input.checked = events.some(event => preferences[channel].includes(event));
		return h("td", h("label", input));
	};
	$("kinds").tBodies[0].replaceChildren(...KINDS.map(([words, events]) => h("tr", h("th", {scope: "row"}, words),
		...["mail", "push"].map(channel => box(channel, words, events)))));
}

function drawQuiet(change) {
	const [from, until] = [$("push_quiet-from"), $("push_quiet-until")];
	[from.value, until.value] = [preferences.push_quiet?.from ?? "", preferences.push_quiet?.until ?? ""];
	for (const input of [from, until]) {
		input.addEventListener("change", () => {
			if (Boolean(from.value) === Boolean(until.value)) change({push_quiet: from.value ? {from: from.value, until: until.value} : null});
		});
	}
}

async function drawPush(api, player, act) {
	const draw = async () => text($("push"), await subscription(player.id) ? t("Stop push messages on this device") : t("Push messages on this device"));
	$("push").addEventListener("click", () => act(async () => {
		const said = await togglePush(api, player.id);
		await draw();
		return said;
	}));
	await draw();
}
