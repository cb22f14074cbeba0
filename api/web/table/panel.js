// @ts-check
// Next to the table: log and talk, facts, trust, the menu.

import {ask, bdi, change, fill, h, neighbour, patch, saveAs, talkForm, terms, text} from "./dom.js";
import {drawAgain} from "./bar.js";
import {isOver, nameOf, sidesOf, textOf} from "../model/model.js";
import {asThen} from "../model/sentences.js";
import {fieldsOf} from "../model/compose.js";
import {drawMenu, ENDINGS} from "../play/menu.js";
import {choose, chosen, receipts} from "../game/storage.js";
import {capital, duration, list, locale, pieces, reserveWords, sentenceOf, statusWords, t, words} from "../texts.js";

/** @import {Entry, Game} from "../types.d.ts" */

const TO_READ = ["said", "take_back_requested", "pause_agreed", "ending_agreed"]; // entries that a player wants to know of

const ASKS = {
	draw: who => pieces("{who} offers a draw.", {who}),
	cancellation: who => pieces("{who} would like to cancel the game.", {who}),
};

/** The tips in a game's guide, by type of move. @returns {Record<string, string>} */
export const tipsOf = (guide = "") => Object.fromEntries([...guide.matchAll(/^- `(\w+)` — (.+)$/gm)].map(([, type, tip]) => [type, tip]));

export class Panel {
	constructor(app, entries) {
		this.app = app;
		this.tips = {};
		this.choices = 0; // how often somebody chose a page
		this.tabs = h("div.tabs", {role: "tablist", "aria-label": t("About this game")});
		this.pages = {};
		this.talk = app.readonly ? h("div") : talkForm(words => this.say(words));
		this.talkRule = h("p.talk-rule", {hidden: true}); // why one cannot talk, or not as elsewhere
		this.about = h("dl.about");
		this.howTo = h("div.how-to");
		this.verdict = h("p.verdict", {role: "status"});
		this.checks = h("ul.checks");
		/** @type {HTMLButtonElement[]} */
		this.ofServer = [];
		this.trust = this.makeTrust();
		this.asked = h("p.asked"); // the announcer tells what is asked
		/** @type {string[]} */
		this.askers = []; // who would like to watch, see `hear`
		this.unread = 0; // messages and requests that came while the log was out of sight
		this.result = h("div.ending");
		this.againHere = h("p.again", {hidden: true}); // where the sheet covers the bar, and the page is not the result
		this.speaking = h("div", this.talk, this.talkRule); // below the talk and the log
		this.said = h("div.said", {role: "log", "aria-label": t("Talk")}, h("div"));
		this.silence = h("p.status", t("Nobody has said anything yet."));
		/** @type {[string, string, Node[]][]} */
		const pages = [["result", t("Result"), [this.result]], ["talk", t("Talk"), [this.silence, this.said]], ["log", t("Log"), [entries]],
			["how-to-play", t("How to play"), [this.howTo, this.about]], ["trust", t("Trust"), [this.trust]]];
		const made = pages.map(([key, name, children]) => this.page(key, name, children));
		const [result, talk, log, howTo, trust] = /** @type {HTMLCollectionOf<HTMLElement>} */ (this.tabs.children);
		this.resultTab = result;
		this.talkTab = talk;
		this.logTab = log;
		this.howToTab = howTo;
		this.trustTab = trust;
		this.resultTab.hidden = true;
		this.closing = h("button.close", {"aria-label": t("Close"), onclick: () => this.closeSheet()}, "✕");
		this.badge = h("span.badge", {hidden: true});
		const {menuButton} = app; // which may be open already
		this.menu = /** @type {HTMLElement} */ (menuButton.lastElementChild);
		app.talkButton.append(this.badge);
		app.talkButton.onclick = () => this.show(this.talkTab);
		if (typeof IntersectionObserver === "function") {
			const inSight = new Set();
			const observer = new IntersectionObserver(changes => {
				for (const {target, isIntersecting} of changes) inSight[isIntersecting ? "add" : "delete"](target);
				this.sees(inSight.size > 0);
			}, {rootMargin: "0px 0px -40px"});
			for (const each of [entries, this.said]) observer.observe(each);
		}
		menuButton.addEventListener("keydown", ({key}) => {
			if (key === "Escape") menuButton.open = false;
		});
		const escape = ({key}) => void (key === "Escape" && this.root.matches(".sheet") && this.closeSheet());
		this.root = h("aside.panel", {"aria-label": t("Log and more"), onkeydown: escape}, this.tabs, this.closing, ...made, this.speaking, this.againHere);
	}

	/** Note that what was said came in sight, or went. @param {boolean} isSeen */
	sees(isSeen) {
		this.isLogSeen = isSeen;
		if (isSeen && this.unread) this.count(0);
	}

	/** Count what came since this device had it in sight. */
	countMissed() {
		const {newest: {id, version}, seat, timeline, live, readonly} = this.app;
		if (readonly || !live.post || seat === undefined) return;
		const read = Number(chosen(`read:${id}`) || version); // the first time here nothing is missed
		const missed = timeline.known().filter(({seq, type, seat: by}) => seq > read && by !== seat && TO_READ.includes(type));
		this.count(this.isLogSeen ? 0 : missed.length);
	}

	/** Count an entry that has just come. @param {Entry} entry */
	countNew(entry) {
		if (TO_READ.includes(entry.type) || (textOf(entry) && !entry.bot)) this.count(this.isLogSeen ? 0 : this.unread + 1);
	}

	/** Show how many messages and requests have not been read. @param {number} unread */
	count(unread) {
		this.unread = unread;
		if (!unread) choose(`read:${this.app.newest.id}`, Math.max(0, ...this.app.timeline.entries.keys()));
		const said = unread ? t("Messages and requests: {n} new", {n: unread}) : "";
		text(this.badge, String(unread));
		this.badge.hidden = !unread;
		change(this.app.talkButton, {"aria-label": said ? `${t("Talk")}. ${said}` : t("Talk")});
		change(this.talkTab, {"data-unread": unread || false, "aria-label": said ? `${t("Talk")}. ${said}` : false});
	}

	/** @param {string} key  @param {string} name  @param {any[]} children */
	page(key, name, children) {
		const id = `tab-${key}`;
		const page = h("div", {role: "tabpanel", id: `${id}-page`, "aria-labelledby": id, class: "tabpanel", hidden: true}, ...children);
		const tab = h("button", {role: "tab", id, "aria-controls": `${id}-page`, "aria-selected": "false", tabindex: "-1"}, name);
		tab.onclick = () => this.open(tab);
		tab.onkeydown = event => {
			const next = neighbour(event, [.../** @type {HTMLCollectionOf<HTMLElement>} */ (this.tabs.children)].filter(({hidden}) => !hidden), "ArrowLeft", "ArrowRight");
			if (next) this.open(next);
		};
		this.tabs.append(tab);
		this.pages[id] = page;
		return page;
	}

	/** @param {HTMLElement} tab  @param {boolean} [isFocused] */
	open(tab, isFocused = true) {
		for (const other of /** @type {HTMLCollectionOf<HTMLElement>} */ (this.tabs.children)) {
			other.setAttribute("aria-selected", String(other === tab));
			other.tabIndex = other === tab ? 0 : -1;
			this.pages[other.id].hidden = other !== tab;
		}
		this.speaking.hidden = tab !== this.talkTab && tab !== this.logTab;
		this.drawAgain();
		if (tab === this.logTab) this.app.aside?.log.follow();
		if (tab === this.resultTab && this.app.isPassing) this.app.note(""); // the talk is in sight
		if (!isFocused) return;
		this.choices += 1;
		tab.focus({preventScroll: true});
	}

	/** Show a page: beside the table, or where there is no room for that, over its lower part.
	 * @param {HTMLElement} tab  @param {boolean} [isFocused] */
	show(tab, isFocused = true) {
		this.root.classList.add("sheet"); // what is not shown takes no focus
		this.open(tab, isFocused);
	}

	closeSheet() {
		const hadFocus = this.app.hasFocus && this.root.matches(":focus-within");
		this.root.classList.remove("sheet");
		if (hadFocus) this.app.focusFirst();
	}

	/** @param {boolean} [isFocused] */
	showResult(isFocused = true) {
		this.show(this.resultTab, isFocused);
	}

	begin() {
		const {app} = this;
		this.unread = 0;
		this.ending = null; // its talk has ended with the game, see `close`
		this.result.replaceChildren();
		const {summary, how_to_play: guide = "", id, name, guided: lang} = app.ruleset;
		this.howToTab.hidden = !guide;
		this.tips = tipsOf(guide);
		this.howTo.replaceChildren(h("h2", name), h("p.lead", {lang}, summary), ...paragraphs(guide).map(parts => h("p", {lang}, ...parts)),
			h("p", h("a", {href: `${app.live.api.origin}/docs/rules/${id}`, target: "_blank", rel: "noopener"}, t("All rules"))));
		this.said.firstElementChild?.replaceChildren();
		this.root.classList.remove("sheet");
		if (!this.choices || this.resultTab.getAttribute("aria-selected") === "true") this.open(this.canTalk ? this.talkTab : this.logTab, false);
		this.checks.replaceChildren();
		text(this.verdict, "");
		this.talk.hidden = app.readonly || !app.live.post;
		for (const one of this.ofServer) one.hidden = !app.live.verification;
		this.trustTab.hidden = Boolean(app.live.leave);
	}

	/** Whether the viewer plays with people, and may talk with them. */
	get canTalk() {
		const {newest: {seats, result}, live, seat, readonly} = this.app;
		return Boolean(!readonly && live.post && seat !== undefined && !result && seats.filter(({player, open}) => player || open).length > 1);
	}

	draw() {
		const {newest, ruleset, seat, readonly} = this.app;
		this.drawTalk(readonly || !this.app.live.post || isOver(newest) || seat === undefined);
		const rules = h("a", {href: `${this.app.live.api.origin}/docs/rules/${newest.ruleset}`, target: "_blank", rel: "noopener"}, ruleset.name);
		fill(this.about, ...terms([[t("Game"), rules], ...facts(newest)]));
		this.resultTab.hidden = !isOver(newest);
		if (isOver(newest)) this.drawResult();
		this.drawAsked();
		this.drawSaid();
		this.drawMenu();
	}

	/** Show what people have said in the game. */
	drawSaid() {
		const {newest, timeline} = this.app;
		const said = timeline.known().filter(entry => !entry.bot && textOf(entry));
		patch(this.said.firstElementChild, said, ({seq}) => String(seq), entry => h("p", h("strong", bdi(nameOf(asThen(entry, newest, timeline.entries), entry.seat ?? null))), " ", bdi(textOf(entry) ?? "")));
		this.silence.hidden = said.length > 0;
		change(this.said, {tabindex: said.length ? "0" : false});
	}

	/** Show whether somebody would like to play again. */
	drawAgain() {
		const {again} = this.app;
		const isResult = this.resultTab.getAttribute("aria-selected") === "true";
		this.againHere.hidden = !again || isResult;
		const button = h("button.send", {onclick: () => this.playAgain()});
		drawAgain(button, again);
		fill(this.againHere, ...(again ? [button] : []));
		this.ending?.drawAgain();
	}

	async playAgain() {
		(await this.app.later(() => import("../play/ending.js"))).playAgain(this.app);
	}

	async drawResult() {
		const {app, app: {opened}} = this;
		const {Ending} = await app.later(() => import("../play/ending.js"));
		if (opened !== app.opened) return;
		this.ending ??= new Ending(app, this.result);
		this.ending.draw();
	}

	/** Tell who would like to watch, until that is answered.
	 * @param {string[]} names  @param {() => void} answered */
	hear(names, answered) {
		this.askers = names;
		this.answered = () => {
			answered();
			this.askers = [];
			this.drawAsked();
		};
		this.drawAsked();
	}

	drawAsked() {
		const {app} = this;
		const {seat: own} = app;
		/** @type {{seat: number, of?: number} | null} */
		let request = null;
		for (const {type, seat, of} of app.timeline.known()) {
			if (type === "take_back_requested") request = {seat, of};
			else if (/taken_back|_undone/.test(type) || type === "take_back_refused" || (type === "take_back_agreed" && seat === own)) request = null;
		}
		const {newest} = app;
		const mine = newest.status === "running" && own !== undefined && newest.seats[own];
		const open = mine && request?.seat !== own ? request : null;
		const pausing = mine && !mine.pause_agreed && newest.seats.find(one => one.pause_agreed);
		const ending = mine && newest.seats.find(one => one.ending_agreed && one.ending_agreed !== mine.ending_agreed);
		const answer = agree => app.post("/take-back/answer", {agree, seat: own});
		fill(this.asked, ...(open ? [...pieces("{who} asks to take move {number} back.", {who: bdi(nameOf(newest, open.seat)), number: String(open.of)}), " "]
			: pausing ? pieces("{who} asks for a pause: you may agree in the menu.", {who: bdi(nameOf(newest, pausing.seat))})
			: ending ? [...ASKS[ending.ending_agreed](bdi(nameOf(newest, ending.seat))), " "]
			: this.askers.length ? [...pieces("{name} asks for an invitation.", {name: bdi(list(this.askers, t("and")))}), " ",
				h("button", {onclick: () => this.answerAskers()}, t("Copy a link")), " ", h("button", {onclick: () => this.answered?.()}, t("Not now"))] : []));
		if (ending && !open && !pausing) this.asked.append(h("button", {onclick: () => this.end(ending.ending_agreed)}, t("Agree")));
		if (open) this.asked.append(h("button", {onclick: () => answer(true)}, t("Agree")), " ", h("button", {onclick: () => answer(false)}, t("Refuse")));
	}

	async answerAskers() {
		const {app} = this;
		this.answered?.();
		return (await app.later(() => import("../play/share.js"))).copyLink(app);
	}

	makeTrust() {
		const details = h("details", h("summary", t("Details")), this.checks,
			h("p", ...pieces("Your browser checks the log and, after the game, the seed and the shuffles. The server also checks the rules; so does {command} on your own machine.", {command: h("code", "referee verify")})));
		const button = (label, run) => {
			const made = h("button", label);
			made.onclick = async () => {
				await run({button: made, verdict: this.verdict, list: this.checks});
				details.open ||= Boolean(this.checks.querySelector(".fails"));
			};
			return made;
		};
		const verifier = () => this.app.later(() => import("../verify/checks.js")); // loaded only where somebody verifies
		const server = button(t("Verify on the server"), async where => (await verifier()).verifyThere(this.app.live, where));
		const save = button(t("Save the record"), async () => saveAs(JSON.stringify(await this.app.live.record()), `${this.app.live.id}.json`));
		const keep = button(t("Save the receipts"), () => saveAs(receipts(this.app.live.id).join(""), `${this.app.live.id}-receipts.txt`));
		this.ofServer = [server, save, keep];
		const here = button(t("Verify in this browser"), async where => (await verifier()).verifyHere(this.app.live, this.app.timeline.entries, where));
		return h("div",
			h("p.choices", here, ...this.ofServer),
			this.verdict,
			details);
	}

	drawMenu() {
		drawMenu(this.app, this.menu);
	}

	async end(ending) {
		const {offer, means} = ENDINGS[ending];
		const sure = await ask(this.app.frame, `${offer}?`, [h("p", means)], [["", t("Play on")], ["yes", t("Agree")]]);
		if (sure) await this.app.post("/ending", {ending, seat: this.app.seat}, t("You have agreed. The game ends when all others do too."));
	}

	async resign() {
		const {newest, ruleset, seat} = this.app;
		const hasMates = sidesOf(newest, ruleset)?.some(side => side.length > 1 && side.includes(seat));
		const means = hasMates ? t("You and your teammates lose the game.") : t("You lose the game.");
		const sure = await ask(this.app.frame, t("Resign?"), [h("p", means)], [["", t("Play on"), "send"], ["yes", t("Resign"), "clear"]]);
		if (sure) await this.app.post("/resignation", {seat: this.app.seat});
	}

	async vacation() {
		const left = this.app.newest.seats[this.app.seat].vacation_days;
		const days = h("input", {type: "number", min: 1, max: left, value: 1, "aria-label": t("Days")});
		if (await ask(this.app.frame, t("Take days off"), [h("p", t("You have {left} left. Your clock stops meanwhile.", {left})), days], [["", t("No")], ["yes", t("Take them")]])) {
			await this.app.post("/vacation", {days: Number(days.value), seat: this.app.seat});
		}
	}

	/** Let people say what the rules of the game allow. @param {boolean} isSilent */
	drawTalk(isSilent) {
		const {kind, move = "", phrases = []} = this.app.newest.talk ?? {};
		const flags = fieldsOf(this.app.ruleset.moves[move]).filter(([, , field]) => field === "flag");
		const rule = {none: t("The players do not talk in this game until it is over."), move: t("What you say is a move here, and can cost you a card.")}[kind];
		this.talk.hidden = isSilent || kind === "none" || kind === "phrases";
		this.talkRule.hidden = isSilent || !kind;
		if (kind === "phrases") fill(this.talkRule, ...phrases.map(phrase => h("button", {onclick: () => this.say(phrase)}, bdi(phrase))));
		else if (rule) fill(this.talkRule, rule, ...flags.map(([name]) => h("label", h("input", {type: "checkbox", name}), capital(sentenceOf("move", move, name) || words(name)))));
	}

	/** @param {string} words */
	say(words) {
		const {seat, newest} = this.app;
		const {kind, move: type} = newest.talk ?? {};
		/** @type {NodeListOf<HTMLInputElement>} */
		const flags = this.talkRule.querySelectorAll(":checked");
		const more = Object.fromEntries([...flags].map(({name}) => [name, true]));
		return kind === "move" ? this.app.post("/moves", {seat, move: {type, text: words, ...more}}) : this.app.post("/messages", {seat, text: words});
	}
}

/** Paragraphs of Markdown with **strong** and *emphasized* words, as nodes; without the tips for moves.
 * @param {string} markdown */
export function paragraphs(markdown) {
	return markdown.trim().split(/\n{2,}/).filter(each => each && !each.startsWith("- `")).map(paragraph => paragraph.split(/(\*\*[^*]+\*\*|\*[^*]+\*)/).filter(Boolean).map(piece =>
		(piece.startsWith("**") ? h("strong", piece.slice(2, -2)) : piece.startsWith("*") ? h("em", piece.slice(1, -1)) : piece.replaceAll("\n", " "))));
}

const when = at => new Date(at).toLocaleString(locale, {dateStyle: "medium", timeStyle: "short"});

const optionWords = value => (value === true ? t("Yes") : value === false ? t("No") : words(value));

/** The time limits in few words.
 * @param {import("../types.d.ts").Pace} pace */
function pace({per_move: move, on_timeout: late, reserve, quiet_weekends: quiet}) {
	return [t("{time} a move", {time: duration(move)}), reserve && t("{time} in reserve", {time: duration(reserve)}), quiet && t("weekends excluded"),
		late === "resign" ? t("late players lose") : late === "bot" ? t("a bot moves for late players") : t("late players get a random move")].filter(Boolean).join(", ");
}

/** What is known of a game.
 * @param {Game} game */
export const facts = (game, named = name => capital(words(name))) => [
	[t("Imported"), game.origin === "imported" && pieces("{app}: not dealt by this server", {app: bdi(game.imported_by?.name ?? "")})],
	[t("Status"), `${statusWords(game.status)}${game.view && !isOver(game) ? `, ${words(game.view.phase)}` : ""}`],
	...Object.entries(game.options).map(([name, value]) => [named(name), value !== 0 && value !== null && optionWords(value)]), // nothing is limited or chosen
	[t("Pace"), game.pace && pace(game.pace)],
	[t("Deal"), game.dealing && t("Each player commits to a secret when joining, and reveals it when all are there: nobody can choose the cards.")],
	...game.seats.map(one => [t("Deadline"), one.deadline && [bdi(nameOf(game, one.seat)), ` ${[when(one.deadline), reserveWords(one, game.pace)].filter(Boolean).join("; ")}`]]),
	[t("Id"), game.id && h("code", game.id)],
	[t("Seed’s SHA-256"), game.commitment && h("code", game.commitment)],
].filter(([, content]) => content);
