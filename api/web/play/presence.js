// @ts-check
// Who is here, by the streams that are open, and when the others last were, also by what they did.

import {portrait} from "../cards/portrait.js";
import {bdi, change, h, patch, text} from "../table/dom.js";
import {locale, t, tn} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

const AGAIN = 10_000; // milliseconds until the server is asked anew
const NOT_THEIRS = ["timed_out", "left", "adjudicated"]; // entries of a seat that its player did not make
const UNITS = /** @type {const} */ ([["day", 1440], ["hour", 60], ["minute", 1]]);

/** @param {string} at */
function since(at) {
	if (!at) return t("not here yet");
	const minutes = Math.floor((Date.now() - Date.parse(at)) / 60_000);
	const [unit, length] = UNITS.find(([, least]) => minutes >= least) ?? UNITS[2];
	const when = new Intl.RelativeTimeFormat(locale, {numeric: "auto", style: "short"}).format(-Math.floor(minutes / length), unit);
	return t("here {when}", {when});
}

export class Presence {
	/** @param {TableApp} app */
	constructor(app) {
		this.app = app;
		this.root = h("ul.presence", {"aria-label": t("Who is here")});
		setInterval(() => this.ask(), AGAIN);
	}

	/** Begin with another game. */
	begin() {
		/** @type {{seats: {seat: number, here: boolean, seen_at?: string}[], watching: number} | null} */
		this.known = null;
		void this.ask();
	}

	/** Ask who is here, while somebody may read it. */
	async ask() {
		const {live, opened, newest} = this.app;
		if (!live?.request || newest.result || document.visibilityState === "hidden") return;
		const found = await live.request("/presence").catch(() => null);
		if (opened !== this.app.opened) return;
		this.known = found ?? this.known;
		this.draw();
	}

	draw() {
		const {newest, timeline} = this.app;
		const {seats = [], watching = 0} = this.known ?? {};
		const people = newest?.seats.filter(({player}) => player) ?? [];
		const others = people.filter(({seat}) => seat !== this.app.seat);
		this.root.hidden = (people.length < 2 && !watching) || Boolean(newest.result);
		if (this.root.hidden) return;
		const acts = timeline.known().filter(({type, bot}) => !bot && !NOT_THEIRS.includes(type));
		const row = ({player}) => h("li", h("span", {"aria-hidden": "true"}, portrait(player.id, false)), bdi(player.name), h("small"));
		patch(this.root, [...others, ...watching ? [null] : []], each => (each ? `${each.seat} ${each.player.id}` : "watching"), each => (each ? row(each) : h("li", h("small"))), (row, each) => {
			const {here = false, seen_at = ""} = seats.find(({seat}) => seat === each?.seat) ?? {};
			const acted = acts.findLast(({seat}) => seat === each?.seat)?.at ?? "";
			const last = seen_at > acted ? seen_at : acted;
			const isHere = here || Date.now() - Date.parse(last) < 30_000; // the server may not know of a new stream yet
			change(row, {class: isHere ? "here" : ""});
			text(row.lastElementChild, !each ? tn("{n} is watching", "{n} are watching", watching) : isHere ? t("here now") : since(last));
		});
	}
}
