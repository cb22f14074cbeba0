// @ts-check
// The sheet of a game on the start page: against whom, how many, how fast, with which options; and the new game.

import {dress} from "../cards/cards.js";
import {sample} from "../cards/deck.js";
import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {forgetGuest, guest} from "../game/guests.js";
import {keep, newKey, newSecret} from "../game/keys.js";
import {choose, keepSecret, keepToken} from "../game/storage.js";
import {$, fill, h, patch, text} from "../table/dom.js";
import {inLanguage, t, tn} from "../texts.js";
import {chosenOptions, drawOptions} from "./options.js";
import {beginPace, chosenPace} from "./pace.js";

const BUTTONS = ["start", "guided"];
const OTHERS = {cautious: t("a careful bot"), "skilled-1": t("a skilled bot"), random: t("a random bot"), open: t("a friend, by link")};
const WORDS = {
	bots: t("The game begins at once."),
	friends: t("You get a link for your friends. You can also give free seats to bots."),
	anybody: t("You are shown in the lobby. If nobody comes within a minute, you can play against bots."),
};
const BEGIN = {bots: t("Start"), friends: t("Create the link"), anybody: t("Look for players")};
const described = new Map(); // rulesets with their options, by id
/** @type {any} the ruleset whose sheet is open */
let ruleset = null;
/** @type {(terms: any) => Promise<void>} how to look for anybody */
let look;

const fields = () => $("play").elements;
const seats = () => Number($("count").value);

/** Open the sheet of a ruleset.
 * @param {any} of  @param {(terms: any) => Promise<void>} lookForAnybody */
export function openSheet(of, lookForAnybody) {
	const before = seats();
	[ruleset, look] = [of, lookForAnybody];
	dress($("sheet"), of.id);
	$("sheet-cards").replaceChildren(sample(of));
	text($("sheet-title"), of.name);
	text($("summary"), of.summary);
	text($("refused"), "");
	fill($("count"), ...of.seats.map(n => h("option", {value: n}, tn("{n} seat", "{n} seats", n))));
	$("count").value = of.seats.includes(before) ? before : of.seats.find(n => n >= 3) ?? of.seats.at(-1);
	drawWay();
	void describe();
	$("sheet").showModal();
}

/** Load the options of the ruleset if they are not known, and draw them if its sheet is still open. */
async function describe() {
	const {id} = ruleset;
	drawOptions(described.get(id) ?? null, seats());
	if (described.has(id)) return;
	const found = await client().json(`/v1/rulesets/${id}${inLanguage}`).catch(() => null); // it has its usual options then
	if (found) described.set(id, found);
	if (ruleset.id === id) drawOptions(found, seats());
}

/** Draw what depends on against whom one plays, and at how many seats. */
function drawWay() {
	const way = fields().way.value;
	text($("way-words"), WORDS[way]);
	text($("start"), BEGIN[way]);
	$("all").disabled = $("guided").disabled = way !== "bots";
	$("more").hidden = way === "anybody";
	const others = Array.from({length: seats() - 1}, (_, i) => i + 1);
	$("others").hidden = others.length < 2;
	patch($("others"), others, String, seat => h("label.other", `${t("Player {number}", {number: seat + 1})} `, h("select", {name: `seat${seat}`})),
		label => {
			const [select] = label.children;
			if (!select.children.length) select.append(...Object.entries(OTHERS).map(([value, words]) => h("option", {value}, words)));
			select.value = way === "friends" ? "open" : $("all").value;
		});
}

/** Do what a button says once, and show why if it cannot be done. @param {() => Promise<void>} action */
async function attempt(action) {
	text($("refused"), "");
	for (const button of BUTTONS) $(button).disabled = true;
	try {
		await action();
	} catch (error) {
		if (error.status === 401) forgetGuest();
		text($("refused"), error.status === 403 ? t("This server accepts no guests: only apps create games here.") : error.message);
	} finally {
		$("start").disabled = false;
		$("guided").disabled = fields().way.value !== "bots";
	}
}

/** @param {SubmitEvent} event */
async function start(event) {
	event.preventDefault();
	const isGuided = event.submitter?.id === "guided"; // against careful bots, whatever the form says of others
	const {way, sit, visibility, deal} = fields();
	const terms = {ruleset: ruleset.id, seats: seats(), options: chosenOptions(described.get(ruleset.id) ?? null), pace: chosenPace()};
	if (way.value === "anybody" && !isGuided) {
		if (seats() < 2) throw new Error(t("Choose at least two seats to play with somebody."));
		return look(terms);
	}
	const others = [...$("others").querySelectorAll("select")].map(({value}) => (isGuided ? {bot: "cautious"} : value === "open" ? {open: true} : {bot: value}));
	if (isGuided && !others.length) others.push({bot: "cautious"}, {bot: "cautious"}); // nobody learns alone
	const isPlayer = isGuided || sit.value === "me";
	return create({...terms, others, isPlayer, isGuided, visibility: isPlayer ? visibility.value : "public", deal: deal.value});
}

/** Create a game with these others, and go to its table. A key with which only this device acts for the seat is made for
 * guests; accounts have several devices. */
export async function create({ruleset: id, others, options = {}, pace = null, visibility = "private", deal = "", isPlayer = true, isGuided = false}) {
	const me = await guest($("name").value.trim() || t("Guest"));
	const {own, public_key} = account() ? {} : await newKey();
	const {secret, commitment} = deal && isPlayer ? newSecret() : {};
	const places = [isPlayer ? {player: me.player.id, public_key, commitment} : {bot: "random"}, ...others];
	const game = await client(me.token).once("/v1/games", {ruleset: id, seats: places, options, visibility, pace: (!isGuided && pace) || undefined, entropy: deal || undefined});
	if (!account()) keepToken(game.id, me.token, true);
	if (secret) keepSecret(game.id, 0, secret);
	if (own) await keep(game.id, 0, own);
	if (isGuided) choose("guided", game.id);
	location.assign(`/table/${game.id}`);
}

for (const radio of fields().way) radio.addEventListener("change", drawWay);
$("count").addEventListener("change", () => {
	drawWay();
	drawOptions(described.get(ruleset.id) ?? null, seats());
});
$("all").addEventListener("change", drawWay);
$("play").addEventListener("input", () => text($("refused"), "")); // it may be possible now
$("close").addEventListener("click", () => $("sheet").close());
$("sheet").addEventListener("click", event => event.target === $("sheet") && $("sheet").close());
$("play").addEventListener("submit", event => {
	event.preventDefault();
	void attempt(() => start(event));
});
beginPace();
