// @ts-check
// Next to the table: log and talk, facts, trust, the menu.

import {ask, bdi, fill, h, neighbour, saveAs, terms, text} from "./dom.js";
import {dealt, isOver, nameOf} from "../model/model.js";
import {mayTakeBack} from "../model/takeback.js";
import {copy, copyLink} from "../play/share.js";
import {receipts} from "../game/receipts.js";
import {Ending} from "../play/ending.js";
import {orders} from "../play/orders.js";
import {upcast} from "../verify/shapes.js";
import {capital, pace, words} from "../model/words.js";

/** @import {Game} from "../types.d.ts" */

const verifier = () => import("../verify/checks.js"); // loaded only where somebody verifies

export class Panel {
	constructor(app) {
		this.app = app;
		this.tabs = h("div.tabs", {role: "tablist", "aria-label": "About this game"});
		this.pages = {};
		this.talk = app.readonly ? h("div") : this.makeTalk();
		this.about = h("dl.about");
		this.howTo = h("div.how-to");
		this.verdict = h("p.verdict", {role: "status"});
		this.checks = h("ul.checks");
		/** @type {HTMLButtonElement[]} */
		this.ofServer = [];
		this.trust = this.makeTrust();
		this.asked = h("p.asked", {role: "status"});
		this.ending = new Ending(app);
		/** @type {[string, Node[]][]} */
		const pages = [["Result", [this.ending.root]], ["Log", [app.log.root, this.talk]], ["How to play", [this.howTo]], ["Game", [this.about]], ["Trust", [this.trust]]];
		const made = pages.map(([name, children]) => this.page(name, children, name === "Log"));
		const [result, log, howTo, , trust] = /** @type {HTMLCollectionOf<HTMLElement>} */ (this.tabs.children);
		this.resultTab = result;
		this.logTab = log;
		this.howToTab = howTo;
		this.trustTab = trust;
		this.resultTab.hidden = true;
		this.closing = h("button.close", {"aria-label": "Close", onclick: () => this.closeSheet()}, "✕");
		this.menu = h("div.menu-items");
		this.menuButton = h("details.menu", h("summary", {"aria-label": "Menu"}, "⋯"), this.menu);
		this.menuButton.addEventListener("keydown", ({key}) => {
			if (key === "Escape") this.menuButton.open = false;
		});
		this.root = h("aside.panel", {"aria-label": "Log and more"}, this.tabs, this.closing, ...made);
	}

	/** @param {string} name  @param {any[]} children  @param {boolean} isFirst */
	page(name, children, isFirst) {
		const id = `tab-${name.toLowerCase().replaceAll(" ", "-")}`;
		const page = h("div", {role: "tabpanel", id: `${id}-page`, "aria-labelledby": id, class: "tabpanel", hidden: !isFirst}, ...children);
		const tab = h("button", {role: "tab", id, "aria-controls": `${id}-page`, "aria-selected": String(isFirst), tabindex: isFirst ? "0" : "-1"}, name);
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
		if (isFocused) tab.focus({preventScroll: true});
	}

	/** Show a page: beside the table, or where there is no room for that, over its lower part.
	 * @param {HTMLElement} tab  @param {boolean} [isFocused] */
	show(tab, isFocused = true) {
		this.open(tab, isFocused);
		this.root.classList.add("sheet");
	}

	closeSheet() {
		const hadFocus = this.app.hasFocus && this.root.matches(":focus-within");
		this.root.classList.remove("sheet");
		if (hadFocus) this.app.focusFirst();
	}

	showTrust() {
		this.show(this.trustTab);
	}

	/** @param {boolean} [isFocused] */
	showResult(isFocused = true) {
		this.show(this.resultTab, isFocused);
	}

	begin() {
		const {app} = this;
		this.ending.begin();
		const {summary, how_to_play: guide = "", id, name} = app.ruleset;
		this.howToTab.hidden = !guide;
		this.howTo.replaceChildren(h("h2", name), h("p.lead", summary), ...paragraphs(guide).map(parts => h("p", ...parts)),
			h("p", h("a", {href: `${app.home}/docs/rules/${id}`, target: "_blank", rel: "noopener"}, "All rules")));
		this.root.classList.remove("sheet");
		if (this.resultTab.getAttribute("aria-selected") === "true") this.open(this.logTab, false);
		this.checks.replaceChildren();
		text(this.verdict, "");
		this.talk.hidden = app.readonly || !app.live.post;
		for (const one of this.ofServer) one.hidden = !app.live.verification;
	}

	draw() {
		const {newest, ruleset, seat, readonly} = this.app;
		this.talk.hidden = readonly || !this.app.live.post || isOver(newest) || seat === undefined;
		const rules = h("a", {href: `${this.app.home}/docs/rules/${newest.ruleset}`, target: "_blank", rel: "noopener"}, ruleset.name);
		fill(this.about, ...terms([["Game", rules], ...facts(newest)]));
		if (this.link && !newest.seats[Number(this.link.dataset.seat)].invite) this.link.closest("dialog")?.close();
		this.resultTab.hidden = !isOver(newest);
		this.ending.draw();
		this.drawAsked();
		this.drawMenu();
	}

	drawAsked() {
		const {app} = this;
		const {seat: own} = app;
		/** @type {{seat: number, of?: number} | null} */
		let request = null;
		for (const {type, seat, of} of app.timeline.known().map(upcast)) {
			if (type === "take_back_requested") request = {seat, of};
			else if (/taken_back|_undone/.test(type) || type === "take_back_refused" || (type === "take_back_agreed" && seat === own)) request = null;
		}
		const {newest} = app;
		const mine = newest.status === "running" && own !== undefined && newest.seats[own];
		const open = mine && request?.seat !== own ? request : null;
		const pausing = mine && !mine.pause_agreed && newest.seats.find(one => one.pause_agreed);
		const answer = agree => app.post("/take-back/answer", {agree, seat: own});
		fill(this.asked, ...(open ? [bdi(nameOf(newest, open.seat)), ` asks to take move ${open.of} back. `]
			: pausing ? [bdi(nameOf(newest, pausing.seat)), " asks for a pause: you may agree in the menu."] : []));
		if (open) this.asked.append(h("button", {onclick: () => answer(true)}, "Agree"), " ", h("button", {onclick: () => answer(false)}, "Refuse"));
	}

	makeTalk() {
		const input = h("input", {type: "text", maxlength: 2000, "aria-label": "Say something to everyone who sees the game", placeholder: "Say something", autocomplete: "off", dir: "auto"});
		return h("form.talking", {onsubmit: event => {
			event.preventDefault();
			if (input.value.trim()) this.app.post("/messages", {text: input.value, seat: this.app.seat});
			input.value = "";
		}}, input, h("button", {type: "submit"}, "Say"));
	}

	makeTrust() {
		const button = (label, run) => {
			const made = h("button", label);
			made.onclick = () => run({button: made, verdict: this.verdict, list: this.checks});
			return made;
		};
		const server = button("Verify on the server", async where => (await verifier()).verifyThere(this.app.live, where));
		const save = button("Save the record", async () => saveAs(JSON.stringify(await this.app.live.record()), `${this.app.live.id}.json`));
		const keep = button("Save the receipts", () => saveAs(receipts(this.app.live.id).join(""), `${this.app.live.id}-receipts.txt`));
		this.ofServer = [server, save, keep];
		return h("div",
			h("p", "Your browser checks the log and, after the game, the seed and the shuffles. The server also checks the rules; so does ",
				h("code", "referee verify"), " on your own machine."),
			h("p.choices", button("Verify in this browser", async where => (await verifier()).verifyHere(this.app.live, this.app.timeline.entries, where)), ...this.ofServer),
			this.verdict, this.checks);
	}

	drawMenu() {
		const {app} = this;
		const {newest, seat, readonly} = app;
		const items = [];
		const item = (label, run) => items.push([label, run]);
		if (app.ruleset.how_to_play) item("How to play", () => this.show(this.howToTab));
		if (!readonly && app.live.post && seat !== undefined && newest.status === "running") {
			if (mayTakeBack(app.timeline.known(), seat, app.ruleset)) item("Ask to take my last move back", () => app.post("/take-back", {seat}, "Request sent: the others may agree."));
			if (newest.seats[seat].vacation_days) item("Take days off", () => this.vacation());
			if (newest.paused) item("End the pause", () => app.post("/resumption", {seat}));
			else if (newest.pace && !newest.seats[seat].pause_agreed) item("Agree to a pause", () => app.post("/pause", {seat}, "The pause begins once all have agreed."));
			item("Standing orders", () => orders(app));
			item("Resign", () => this.resign());
		}
		if (newest.status === "finished" && app.live.record && !readonly) {
			item(app.timeline.hasOpenHands ? "Show only what I saw" : "Show all hands", () => app.timeline.openHands(!app.timeline.hasOpenHands));
			item("How it was dealt", () => location.assign(`${app.home}/fairness/${newest.id}`));
			item("Dispute report", () => location.assign(`${app.home}/dispute/${newest.id}`));
		}
		if (app.isPage && newest.id && newest.view) item("Copy a link to this moment", () => copyLink(app, app.version));
		for (const [label, run] of app.extras?.() ?? []) item(label, run);
		fill(this.menu);
		this.menu.append(...items.map(([label, run]) => h("button", {onclick: () => {
			this.menuButton.open = false;
			run();
		}}, label)));
		this.menuButton.hidden = !items.length;
	}

	async resign() {
		const sure = await ask(this.app.frame, "Resign?", [h("p", "You and your teammates lose the game.")], [["", "Play on"], ["yes", "Resign"]]);
		if (sure) await this.app.post("/resignation", {seat: this.app.seat});
	}

	async vacation() {
		const left = this.app.newest.seats[this.app.seat].vacation_days;
		const days = h("input", {type: "number", min: 1, max: left, value: 1, "aria-label": "Days"});
		if (await ask(this.app.frame, "Take days off", [h("p", `You have ${left} left. Your clock stops meanwhile.`), days], [["", "No"], ["yes", "Take them"]])) {
			await this.app.post("/vacation", {days: Number(days.value), seat: this.app.seat});
		}
	}

	/** @param {number} seat  @param {string} code */
	async invite(seat, code) {
		const link = `${this.app.home || location.origin}/join#game=${this.app.newest.id}&seat=${seat}&invite=${code}`;
		const shown = this.link = h("input", {type: "text", readonly: true, value: link, "aria-label": "Link", "data-seat": seat});
		const copied = h("p", {role: "status"});
		const button = h("button.send", {onclick: () => copy({note: words => text(copied, words)}, link, "The link has been copied.")}, typeof navigator.share === "function" ? "Share the link" : "Copy the link");
		await ask(this.app.frame, `A link for seat ${seat}`, [h("p", "Send it to a friend. Whoever joins first takes the seat."), shown, h("p", button), copied]);
		if (!this.app.hasFocus) this.app.focusFirst(); // its button is gone
	}
}

/** Paragraphs of Markdown with **strong** and *emphasized* words, as nodes; without the tips for moves.
 * @param {string} markdown */
function paragraphs(markdown) {
	return markdown.trim().split(/\n{2,}/).filter(each => each && !each.startsWith("- `")).map(paragraph => paragraph.split(/(\*\*[^*]+\*\*|\*[^*]+\*)/).filter(Boolean).map(piece =>
		(piece.startsWith("**") ? h("strong", piece.slice(2, -2)) : piece.startsWith("*") ? h("em", piece.slice(1, -1)) : piece.replaceAll("\n", " "))));
}

const when = at => new Date(at).toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"});

/** What is known of a game.
 * @param {Game} game */
export const facts = game => [
	["Imported", game.origin === "imported" && [bdi(game.imported_by?.name ?? ""), ": not dealt by this server"]],
	["Status", `${game.status}${game.view && !isOver(game) ? `, ${words(game.view.phase)}` : ""}`],
	...Object.entries(game.options).map(([name, value]) => [capital(words(name)), String(value)]),
	["Pace", game.pace && pace(game.pace)],
	["Deal", game.dealing && dealt(game.dealing)],
	...game.seats.map(({seat, deadline}) => ["Deadline", deadline && [bdi(nameOf(game, seat)), ` ${when(deadline)}`]]),
	["Id", game.id && h("code", game.id)],
	["Seed’s SHA-256", game.commitment && h("code", game.commitment)],
].filter(([, content]) => content);
