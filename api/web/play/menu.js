// @ts-check
// The menu of a table: what is possible now, in four groups, from one list. The page around the table adds its own items.

import {h, patch} from "../table/dom.js";
import {mayTakeBack} from "../model/takeback.js";
import {t} from "../texts.js";

/** @import {Game, Item} from "../types.d.ts" */
/** @import {TableApp} from "../table/app.js" */

const GROUPS = {table: t("Table"), look: t("Look and sound"), device: t("This device"), leave: t("Leave")};
const FOLDED = ["look", "device"]; // until somebody wants one of them: so the rest fits on a phone

// How players end a game together.
export const ENDINGS = {
	draw: {offer: t("Agree to a draw"), means: t("All players win together, if all agree.")},
	cancellation: {offer: t("Agree to cancel the game"), means: t("The game ends without a result, if all agree.")},
};

/** The ways to end a running game to which a seat may agree now. @param {Game} game  @param {number} seat */
function endingsFor({paused, seats}, seat) {
	const isAlone = seats.filter(one => one.player).length < 2;
	const possible = isAlone ? ["cancellation"] : Object.keys(ENDINGS);
	return paused ? [] : possible.filter(ending => seats[seat].ending_agreed !== ending);
}

/** What a player of a running game can ask of the others, or for. @param {TableApp} app  @param {number} seat  @returns {Item[]} */
function ofPlayer(app, seat) {
	const {newest, panel} = app;
	const own = newest.seats[seat];
	const canTakeBack = mayTakeBack(app.timeline.known(), seat, app.ruleset);
	const canPause = newest.pace && !newest.paused && !own.pause_agreed;
	return [
		["table", canTakeBack && t("Ask to take my last move back"), () => app.post("/take-back", {seat}, t("Request sent: the others may agree."))],
		["table", own.vacation_days && t("Take days off"), () => panel.vacation()],
		["table", newest.paused && t("End the pause"), () => app.post("/resumption", {seat})],
		["table", canPause && t("Agree to a pause"), () => app.post("/pause", {seat}, t("The pause begins once all have agreed."))],
		["table", app.orders && t("Standing orders"), () => app.orders?.edit()],
		...endingsFor(newest, seat).map(ending => /** @type {Item} */ (["leave", ENDINGS[ending].offer, () => panel.end(ending)])),
		["leave", t("Resign"), () => panel.resign()],
	];
}

/** What can be done with a game that is over. @param {TableApp} app  @returns {Item[]} */
function afterTheEnd({timeline, newest, live}) {
	return [
		["table", timeline.hasOpenHands ? t("Show only what I saw") : t("Show all hands"), () => timeline.openHands(!timeline.hasOpenHands)],
		["table", t("Was it fair?"), () => location.assign(`${live.api.origin}/fairness/${newest.id}`)],
		["table", t("Dispute report"), () => location.assign(`${live.api.origin}/dispute/${newest.id}`)],
	];
}

/** All that can be done now; what has no words cannot. @param {TableApp} app  @returns {Item[]} */
function itemsOf(app) {
	const {newest, seat, readonly, game, live, panel} = app;
	const isPlaying = !readonly && live.post && seat !== undefined && newest.status === "running";
	const canGoOn = !live.leave && !readonly && game?.view?.to_act.length && !game.view.result;
	return [
		["table", app.ruleset.how_to_play && t("How to play"), () => panel.show(panel.howToTab)],
		["table", t("Log"), () => panel.show(panel.logTab)],
		["table", canGoOn && t("What if? Play on from here"), async () => (await app.later(() => import("./what-if.js"))).whatIf(app)],
		["table", app.isPage && newest.id && newest.view && t("Share this moment"), async () => (await app.later(() => import("./share.js"))).shareMoment(app)],
		...(newest.status === "finished" && live.record && !readonly ? afterTheEnd(app) : []),
		["leave", live.leave && t("Back to the game"), () => live.leave()],
		...app.extras?.() ?? [],
		...(isPlaying ? ofPlayer(app, seat) : []),
	];
}

/** Draw the menu. @param {TableApp} app  @param {HTMLElement} menu */
export function drawMenu(app, menu) {
	const items = itemsOf(app).filter(([, label]) => label);
	const groups = Object.entries(GROUPS).filter(([key]) => items.some(([group]) => group === key));
	const make = ([key, name]) => (FOLDED.includes(key) ? h("details.group", h("summary", name), h("div"))
		: h("div.group", {role: "group", "aria-label": name}, h("p", {"aria-hidden": "true"}, name), h("div")));
	patch(menu, groups, ([key]) => key, make, (element, [key]) =>
		patch(element.lastElementChild, items.filter(([group]) => group === key), ([, label]) => label, ([, label]) => h("button", label), (button, [, , run]) => (button.onclick = () => {
			app.menuButton.open = false;
			run();
		})));
}
