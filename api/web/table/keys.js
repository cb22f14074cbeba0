// @ts-check
// Keyboard shortcuts, not while typing text; all can be disabled.

import {ask, h, terms} from "./dom.js";
import {preference} from "../game/storage.js";
import {t} from "../texts.js";

/** @import {TableApp} from "./app.js" */

const HELP = [
	[t("Tab, arrows"), t("go through the cards and buttons")], [t("Space, Enter"), t("choose a card")], ["Enter", t("play the chosen cards")],
	["Escape", t("deselect all cards")], ["[ , ]", t("one step back or forward")], ["{ , }", t("to the previous or next trick or hand")],
	[t("Home, End"), t("to the beginning or end")], ["?", t("this list")],
];

/** @param {TableApp} app */
export function keys(app) {
	const {ownerDocument} = app.root;
	ownerDocument.addEventListener("keydown", () => app.frame.querySelector("[data-quiet]")?.removeAttribute("data-quiet"), true);
	const target = app.root instanceof ShadowRoot ? app.root : ownerDocument;
	target.addEventListener("keydown", (/** @type {any} */ event) => {
		if (event.defaultPrevented || preference("no-keys") || event.ctrlKey || event.altKey || event.metaKey || !app.game || !app.frame.isConnected) return;
		const {target: on} = event;
		if (on.closest?.("dialog, textarea, select, input:not([type=range], [type=checkbox])")) return;
		if (on.matches?.("input[type=range]") && (event.key === "Home" || event.key === "End")) return;
		if (act(app, event.key, on)) event.preventDefault();
	});
}

/** @param {TableApp} app  @param {string} key  @param {any} on */
function act(app, key, on) {
	const to = version => () => app.goTo(version);
	const does = {
		Enter: () => app.bar.send(), Escape: () => app.perform({clear: true}), "?": () => ask(app.frame, t("Keys"), [h("dl.keys", ...terms(HELP))]),
		"[": to(app.timeline.wanted - 1), "]": to(app.timeline.wanted + 1), Home: to(1), End: to(app.newest.version),
		"{": () => app.goTo(landmark(app, -1)), "}": () => app.goTo(landmark(app, 1)),
	}[key];
	if (!does || (key === "Enter" && on.matches?.("button:not(.card), a, summary, input"))) return false;
	return does() !== false; // the browser's own click otherwise
}

/** The next version in which a trick or hand ended; ten steps on if the log is not loaded.
 * @param {TableApp} app  @param {number} step */
function landmark(app, step) {
	let seq = app.version + step;
	for (; app.timeline.entries.has(seq); seq += step) {
		const {won_by: trick, scores, type = ""} = app.timeline.entries.get(seq) ?? {};
		if (trick != null || scores || type === "started" || type === "finished") return seq;
	}
	return Math.abs(seq - app.version) > 1 ? seq : app.version + 10 * step;
}
