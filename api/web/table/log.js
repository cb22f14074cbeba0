// @ts-check
// A window of the log, in sentences: the page stays small however long a game is.

import {nodes} from "./draw.js";
import {change, fill, h, neighbour, patch} from "./dom.js";
import {asThen, scoresBefore, sentences, transfers, zoneWords} from "../model/sentences.js";
import {t} from "../texts.js";

/** @import {Catalogue, Entry, Game} from "../types.d.ts" */

const BEFORE = 60; // entries shown before the selected one
const MOST = 160; // as far as the window grows at its end: without the lines above, the others would move
const AFTER = 20;
const SHOWN_AT = 0.7; // of the height, if there is more below

export class Log {
	constructor(jump) {
		this.first = 0;
		this.jump = jump;
		this.list = h("ol.log", {tabindex: "0", "aria-label": t("Log")});
		this.earlier = h("button.earlier", {onclick: () => jump(Math.max(1, this.first - 1))}, t("Earlier"));
		this.later = h("button.later", {onclick: () => jump(this.last + 1)}, t("Later"));
		this.list.onkeydown = event => neighbour(event, [...this.list.querySelectorAll("summary")], "ArrowUp", "ArrowDown")?.focus();
		this.root = h("div.log-panel", this.earlier, this.list, this.later);
	}

	draw({game, ruleset, entries, version, newest, catalogue}) {
		this.ruleset = ruleset;
		const wanted = [];
		const stays = this.first <= version && version - this.first < MOST && entries.has(this.first);
		if (!stays) this.list.replaceChildren();
		for (let seq = stays ? this.first : Math.max(1, version - BEFORE); seq <= Math.min(newest, version + AFTER); seq++) {
			if (entries.has(seq)) wanted.push(entries.get(seq));
		}
		this.first = wanted[0]?.seq ?? version;
		this.last = wanted.at(-1)?.seq ?? version;
		const whose = game.viewer.seats.join() + game.viewer.whole;
		patch(this.list, wanted, ({seq, private: shares}) => `${seq} ${whose} ${shares ? 1 : 0}`, entry => this.line(entry, game, entries, catalogue),
			(line, {seq}) => {
				change(line, {"aria-current": seq === version && "step", hidden: isChatter(entries.get(seq)) && seq !== version});
				change(line.querySelector("summary") ?? line, {tabindex: seq === version ? "0" : "-1"}); // one stop for Tab
			});
		this.earlier.hidden = this.first <= 1;
		this.later.hidden = this.last >= newest;
		this.follow();
	}

	/** Scroll to the line of the version shown, unless the log is hidden: then once its page opens. */
	follow() {
		/** @type {HTMLElement | null} */
		const current = this.list.querySelector("[aria-current]");
		if (!current?.offsetParent || current === this.shown) return;
		this.shown = current;
		this.list.scrollTop = current.offsetTop - this.list.clientHeight * SHOWN_AT;
	}

	/** @param {Entry} entry  @param {Game} game  @param {Map<number, Entry>} entries  @param {Catalogue} catalogue */
	line(entry, game, entries, catalogue) {
		const said = sentences(entry, game, scoresBefore(entry, entries), this.ruleset, entries).map((parts, i) =>
			h("p", {class: i ? "outcome" : "what"}, ...nodes(parts, catalogue)));
		const jump = h("button.jump", {tabindex: "-1", "aria-label": t("Show version {version}", {version: entry.seq}),
			onclick: () => this.jump(entry.seq)}, String(entry.seq));
		return h("li", {"data-seq": entry.seq, class: entry.type}, jump, h("div.told", ...said), moved(entry, asThen(entry, game, entries), catalogue));
	}
}

/** Whether a bot only says something, which it does often. */
const isChatter = ({bot, move}) => Boolean(bot && move && "text" in move);

/** @param {Entry} entry  @param {Game} game  @param {Catalogue} catalogue */
function moved(entry, game, catalogue) {
	const named = Object.values(entry.move ?? {}).flat();
	const more = transfers(entry).filter(([, , cards]) => !cards.every(card => named.includes(card))); // the line does not say it
	if (!more.length) return null;
	const inside = h("ul");
	const folded = h("details", h("summary", t("cards")), inside);
	folded.ontoggle = () => fill(inside, ...(folded.open ? more : []).map(([from, to, cards]) =>
		h("li", ...nodes([...zoneWords(from, game), " → ", ...zoneWords(to, game), ": ", {cards}], catalogue))));
	return folded;
}

