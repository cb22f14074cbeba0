// @ts-check
// Who plays here, and when each of them last did something. An act is an entry of the log, which everybody follows: nothing else is asked.

import {portrait} from "../cards/portrait.js";
import {bdi, change, h, patch, text} from "../table/dom.js";
import {locale, t} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

const NOW = 2; // minutes in which somebody counts as active
const AGAIN = 30_000; // milliseconds until the times are told anew
const NOT_THEIRS = ["timed_out", "left", "adjudicated"]; // entries of a seat that its player did not make
const UNITS = /** @type {const} */ ([["day", 1440], ["hour", 60], ["minute", 1]]);

/** @param {string | undefined} at */
function since(at) {
	if (!at) return ["", ""];
	const minutes = Math.floor((Date.now() - Date.parse(at)) / 60_000);
	if (minutes < NOW) return ["here", t("active now")];
	const [unit, length] = UNITS.find(([, least]) => minutes >= least) ?? UNITS[2];
	const when = new Intl.RelativeTimeFormat(locale, {numeric: "auto", style: "short"}).format(-Math.floor(minutes / length), unit);
	return ["away", t("active {when}", {when})];
}

export class Presence {
	/** @param {TableApp} app */
	constructor(app) {
		this.app = app;
		this.root = h("ul.presence", {"aria-label": t("Who is here")});
		setInterval(() => this.draw(), AGAIN);
	}

	draw() {
		const {newest, timeline} = this.app;
		const people = newest?.seats.filter(({player}) => player) ?? [];
		const others = people.filter(({seat}) => seat !== this.app.seat);
		this.root.hidden = people.length < 2 || Boolean(newest.result);
		if (this.root.hidden) return;
		const acts = timeline.known().filter(({type, bot}) => !bot && !NOT_THEIRS.includes(type));
		patch(this.root, others, ({seat, player}) => `${seat} ${player.id}`, ({player}) => h("li", h("span", {"aria-hidden": "true"}, portrait(player.id, false)), bdi(player.name), h("small")), (row, {seat}) => {
			const [kind, words] = since(acts.findLast(entry => entry.seat === seat)?.at);
			change(row, {class: kind});
			text(row.lastElementChild, words);
		});
	}
}
