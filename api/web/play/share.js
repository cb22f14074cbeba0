// @ts-check
// Links to copy and to send on.

import {ask, bdi, h} from "../table/dom.js";
import {t} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

const LONGEST = 280; // characters of a comment

const address = fragment => `${location.origin}${location.pathname}${fragment ? `#${fragment}` : ""}`;

/** Copy a link to the game, and say so; share it where the device has a way to.
 * @param {TableApp} app */
export const copyLink = app => copy(app, address(""), t("The link to this game has been copied."));

/** Ask for a comment on the version shown, and copy a link to it. The comment stands in the link alone: it is stored nowhere.
 * @param {TableApp} app */
export async function shareMoment(app) {
	const {wanted: version} = app.timeline; // which may still be loading
	const comment = h("textarea", {maxlength: LONGEST, rows: 3, dir: "auto", "aria-label": t("Comment (optional)"), placeholder: t("Comment (optional)")});
	const words = h("p", t("Whoever opens the link sees this moment, with your comment if you write one."));
	if (!await ask(app.frame, t("A link to this moment"), [words, comment], [["", t("Close")], ["copy", t("Copy the link")]])) return;
	const written = tidy(comment.value);
	const fragment = new URLSearchParams({version: String(version), ...written && {comment: written}});
	await copy(app, address(fragment), t("The link to this moment has been copied."));
}

/** A comment as it is shown: one line of bounded length.
 * @param {string} written */
const tidy = written => [...written.replace(/\s+/g, " ").trim()].slice(0, LONGEST).join("");

/** Show above the felt what a link says of the moment to which it leads.
 * @param {TableApp} app  @param {number} version  @param {string} written */
export function showComment(app, version, written) {
	const comment = tidy(written);
	if (!comment) return;
	const close = () => {
		root.remove();
		app.focusFirst();
	};
	const root = h("section.guide.comment", {"aria-label": t("Comment")},
		h("p.words", {role: "status"}, h("span.of", t("Whoever sent the link writes:")), " ", h("q", bdi(comment))),
		h("button", {onclick: () => app.goTo(version)}, t("To this moment")),
		h("button.close", {"aria-label": t("Close"), onclick: close}, "✕"));
	app.stage.querySelector(".comment")?.remove();
	app.view.felt.before(root);
}

/** @param {{note: (words: string, passing?: boolean) => void}} app  @param {string} link  @param {string} done */
export async function copy(app, link, done) {
	try {
		if (matchMedia("(pointer: coarse)").matches && navigator.share) await navigator.share({url: link});
		else await navigator.clipboard.writeText(link);
		app.note(done, true);
	} catch (error) {
		if (error.name !== "AbortError") app.note(t("Copy this link: {link}", {link}));
	}
}
