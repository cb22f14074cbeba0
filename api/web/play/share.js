// @ts-check
// Links to copy and to send on.

import {ask, bdi, h} from "../table/dom.js";
import {isOver, nameOf} from "../model/model.js";
import {t} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

const LONGEST = 280; // characters of a comment

const address = (/** @type {Record<string, string>} */ fragment) => `${location.origin}${location.pathname}${Object.keys(fragment).length ? `#${new URLSearchParams(fragment)}` : ""}`;

/** Copy a link to the game, and say so; share it where the device has a way to.
 * @param {TableApp} app */
export async function copyLink(app) {
	const hidden = await opening(app, t("A link to this game"), []);
	if (hidden) await copy(app, address(hidden), t("The link to this game has been copied."));
}

/** What a link needs, so that whoever opens it may watch: nothing for a public game; for another one the player is asked whether
 * the link may open it. Also if not, it names the player, who can be asked. Null: no link is wanted.
 * @param {TableApp} app  @param {string} title  @param {any[]} children  @returns {Promise<Record<string, string> | null>} */
async function opening({frame, newest, seat, live}, title, children) {
	const isOpen = newest.visibility === "public" || seat === undefined;
	if (isOpen && !children.length) return {};
	const words = isOver(newest) ? t("This game is private. With an open link, whoever has it sees the table and, as the game is over, all hands and the talk.")
		: t("This game is private. With an open link, whoever has it can watch it, and read the talk. Hidden cards stay hidden.");
	/** @type {string[][]} */
	const choices = isOpen ? [["copy", t("Copy the link")]] : [["plain", t("Copy a link for players only"), "clear"], ["copy", t("Open and copy the link")]];
	const chosen = await ask(frame, title, [...children, ...(isOpen ? [] : [h("p", words)])], [["", t("Close")], ...choices]);
	if (!chosen || isOpen) return chosen ? {} : null;
	const from = nameOf(newest, seat);
	if (chosen === "plain") return {from};
	const {token} = await live.api.once(`${live.path}/watch-links`, undefined);
	return {from, watch: token};
}

/** Ask for a comment on the version shown, and copy a link to it. The comment stands in the link alone: it is stored nowhere.
 * @param {TableApp} app */
export async function shareMoment(app) {
	const {wanted: version} = app.timeline; // which may still be loading
	const comment = h("textarea", {maxlength: LONGEST, rows: 3, dir: "auto", "aria-label": t("Comment (optional)"), placeholder: t("Comment (optional)")});
	const words = h("p", t("Whoever opens the link sees this moment, with your comment if you write one."));
	const needed = await opening(app, t("A link to this moment"), [words, comment]);
	if (!needed) return;
	const written = tidy(comment.value);
	await copy(app, address({...needed, version: String(version), ...written && {comment: written}}), t("The link to this moment has been copied."));
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
