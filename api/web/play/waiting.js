// @ts-check
// The waiting room, on the felt until the cards are dealt: what is played, and for its host the invitation and the bots.

import {copy} from "./share.js";
import {paceSentence} from "../site/pace-words.js";
import {chosen} from "../game/storage.js";
import {told} from "../start/options.js";
import {facts} from "../table/panel.js";
import {h, patch, terms, text} from "../table/dom.js";
import {capital, t, tn, words} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

/** Draw the waiting room; what is there already stays, with what is focused in it.
 * @param {TableApp} app */
export function drawWaiting(app) {
	const root = app.view.centre.querySelector(".waiting");
	if (!root || app.newest.view) return;
	const {newest: {invite, version, seats}} = app;
	const free = seats.filter(({open}) => open).length;
	const parts = [
		{key: `invite ${invite}`, make: () => invitation(app, invite ?? ""), isWanted: invite && free},
		{key: `seats ${version}`, make: () => seating(app, free), isWanted: true},
		{key: "about", make: () => about(app), isWanted: true},
	];
	if (isAgain(app)) parts.push(...parts.splice(0, 1)); // the others know of it
	patch(root, parts.filter(({isWanted}) => isWanted), ({key}) => key, ({make}) => make());
}

/** Whether the free seats are for those who played before. @param {TableApp} app */
const isAgain = ({newest: {id, rematch_of}}) => Boolean(chosen(`again:${id}`) || rematch_of);

/** What is played, for who has never played it too. @param {TableApp} app */
function about({newest, ruleset, panel}) {
	const options = facts({...newest, seats: [], id: "", commitment: ""}, name => told(ruleset, name, capital(words(name)))).filter(([name]) => ![t("Status"), t("Pace")].includes(name));
	const rows = [[t("Pace"), newest.pace ? paceSentence(/** @type {any} */ (newest.pace)) : t("now, without clocks")], ...options];
	return h("section.rules-card", h("h2", ruleset.name), h("p", {lang: ruleset.guided}, ruleset.summary), h("dl", ...terms(rows)),
		h("button", {onclick: () => panel.open(panel.howToTab)}, t("How to play")));
}

/** The link for friends: to copy, to share, to scan. @param {TableApp} app  @param {string} code */
function invitation({newest, live}, code) {
	const link = `${live.api.origin || location.origin}/join#game=${newest.id}&invite=${code}`;
	const said = h("p", {role: "status"});
	const share = () => navigator.share({url: link, title: t("You are invited to a game")}).catch(() => {}); // whoever stops it knows
	const picture = live.api.origin ? null : h("img.qr", {alt: t("The link as a QR code")}); // its place is there from the start
	if (picture) void draw(picture, link).catch(() => {}); // the link is there
	return h("section.invitation", picture, h("h2", t("Invite friends")),
		h("p", t("Whoever opens this link first takes the next free seat.")),
		h("div.link", h("input", {type: "text", readonly: true, value: link, "aria-label": t("Link"), onfocus: ({target}) => target.select()}),
			h("button.send", {onclick: () => copy({note: words => text(said, words)}, link, t("The link has been copied."))}, t("Copy the link")),
			typeof navigator.share === "function" ? h("button", {onclick: share}, t("Share the link")) : null), said);
}

async function draw(picture, link) {
	const answer = await fetch("/qr", {method: "POST", body: link, credentials: "omit"});
	if (answer.ok) picture.src = `data:image/svg+xml,${encodeURIComponent(await answer.text())}`;
}

/** Who is still awaited, and the bots for free seats. @param {TableApp} app  @param {number} free */
function seating(app, free) {
	const {newest: {invite, seats}, live} = app;
	const said = h("p", {role: "status"}, free && isAgain(app) ? t("The others are asked to play again. The game starts when every seat is taken.") : free ? tn("{n} seat is free", "{n} seats are free", free) : t("The cards have not been dealt."));
	const change = (seat, method, body) => live.api.json(`${live.path}/seats/${seat}`, {method, body}).then(() => app.catchUp(), error => text(said, error.message));
	const [open, bot] = [seats.find(one => one.open), seats.findLast(one => one.bot)];
	return h("section.seating", said,
		invite && open ? h("button", {onclick: () => change(open.seat, "PUT", {bot: "cautious"})}, t("Give a free seat to a bot")) : null,
		invite && open && bot ? h("button", {onclick: () => change(bot.seat, "DELETE")}, t("Take the last bot back")) : null);
}
