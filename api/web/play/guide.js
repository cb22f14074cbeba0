// @ts-check
// A guided first game: at each of the player's turns the guide says something about the game, then a good move and the reason for it.
// Its texts are the ruleset's own; it does without those that a ruleset does not have.

import {fill, h, text} from "../table/dom.js";
import {paragraphs, tipsOf} from "../table/panel.js";
import {choose, chosen} from "../game/storage.js";
import {callsIn, cardsOf, choiceOf, setsIn} from "../model/compose.js";
import {describe, isOver} from "../model/model.js";
import {scoringsOf} from "../model/results.js";
import {capital, t, words} from "../texts.js";

/** @import {Entry, Move, Table} from "../types.d.ts" */
/** @import {TableApp} from "../table/app.js" */

const FIRST_MOVES = 2; // of a game that is new on this device
const SETS = 8; // of cards that a tip lists
const OVERTAKEN = -1; // the answer for a turn was for another one: ask again at the next drawing
const HELP = t("Tip shows good cards, then a good move, then why. How to play is in the menu.");

/** What a game is about, in three sentences: the first of each of the first paragraphs of its guide. */
const firstSteps = (guide = "") => guide.split(/\n{2,}/).slice(0, 3).flatMap(part => /^\*\*.+?\*\*\s+(.+?[.!?])(?=\s|$)/s.exec(part)?.[1] ?? []);

/** At the first turns in a game that is new on this device, say what it is about, and let the cards of a good move glow.
 * @param {TableApp} app */
export async function welcome(app) {
	const {guide, ruleset, version, composing} = app;
	const name = `welcomed:${ruleset.id}`;
	const before = Number(chosen(name));
	if (guide || before >= FIRST_MOVES || app.welcomed === version || composing.choice.picks.length) return;
	app.welcomed = version;
	choose(name, before + 1);
	const [aim, turn, ...more] = firstSteps(ruleset.how_to_play);
	// Without cards, as where one cuts, the turn is not the one of the guide.
	const isDealt = app.view.hand.querySelector(".card");
	const tips = tipsOf(ruleset.how_to_play);
	const kinds = [...new Set(app.legal?.moves.map(({type}) => type))].map(type => tips[type]);
	const steps = [aim ?? HELP, ...isDealt ? [turn] : kinds].filter(Boolean).join(" ");
	const says = before ? more.join(" ") : t("New here? {steps}", {steps});
	composing.says = says;
	app.draw();
	const {move} = await composing.suggest().catch(() => null) ?? {};
	const table = app.table();
	if (!move || !table || app.version !== version || composing.says !== says || composing.choice.picks.length) return;
	composing.tips = choiceOf(move, table)?.picks.map(({card}) => card) ?? [];
	if (before && composing.tips.length) composing.says = `${says} ${t("The cards that glow are a good choice.")}`.trim();
	app.draw();
}

/** Say what can be played, and let it glow: of each kind of set one, or else what the calls mean.
 * @param {TableApp} app  @param {Table} table */
export function sayPlayable(app, table) {
	const sets = setsIn(table);
	const tips = [...new Set(sets.flatMap(({cards}) => cards))];
	const kinds = [...new Map(sets.map(({cards}) => [cards.map(card => table.ranks?.[card]).sort().join(), cards])).values()];
	const cards = `${kinds.slice(0, SETS).map(app.bar.wording().cards).join(" · ")}${kinds.length > SETS ? " …" : ""}`;
	const hand = cardsOf(table.zones[`hand.${table.seat}`]);
	const isAll = hand.length > 0 && hand.every(card => card && tips.includes(card));
	const calls = callsIn(table).map(type => `${capital(words(type))}: ${tipsOf(app.ruleset.how_to_play)[type]}`).join(" ");
	app.composing.tips = tips;
	app.composing.says = !sets.length ? calls : isAll ? t("All your cards can be played.") : t("These cards can be played: {cards}.", {cards});
	app.draw();
}

/** @param {string} game */
const rememberGuided = game => choose("guided", game); // also after the page is loaded again

/** Show a guide above the felt, in a game against bots that goes on.
 * @param {TableApp} app */
export function begin(app) {
	if (app.guide || !app.canAsk || isOver(app.newest)) return;
	rememberGuided(app.newest.id);
	app.guide = new Guide(app);
	app.composing.says = null;
	app.draw();
}

export class Guide {
	/** @param {TableApp} app */
	constructor(app) {
		this.app = app;
		const {summary, how_to_play: guide = ""} = app.ruleset;
		const parts = paragraphs(guide);
		/** @type {any[][]} */
		this.lessons = parts.length ? parts : summary ? [[summary]] : [];
		this.tips = tipsOf(guide);
		this.begun = app.newest.version;
		this.turn = 0; // the version in which it is the player's turn
		const hasMoved = app.timeline.known().some(({type, seat}) => type === "moved" && seat === app.seat);
		this.read = this.due = hasMoved ? this.lessons.length : 0; // how many lessons
		/** @type {Move | null} */
		this.move = null;
		this.words = h("div.words", {role: "status"});
		this.button = h("button");
		const closing = h("button.close", {"aria-label": t("End the guide"), title: t("End the guide"), onclick: () => this.end()}, "✕");
		this.root = h("section.guide", {"aria-label": t("Guide")}, this.words, this.button, closing);
		app.view.felt.before(this.root);
	}

	end() {
		const {app} = this;
		const hadFocus = this.root.contains(document.activeElement);
		rememberGuided("");
		this.root.remove();
		app.guide = null;
		app.draw();
		app.panel.drawMenu();
		if (hadFocus) app.focusFirst();
	}

	/** Show what belongs to the position on the table. */
	draw() {
		const {app} = this;
		this.root.hidden = Boolean(app.live.leave);
		if (this.root.hidden || !app.following) return undefined;
		if (isOver(app.newest)) return this.end();
		const log = app.timeline.known().filter(({seq}) => seq > this.begun && seq <= app.version);
		const hand = scoringsOf(log).find(({isHand}) => isHand);
		if (hand) return this.finish(log.filter(({seq}) => seq > hand.seq));
		const table = app.table();
		if (!table || !app.game?.to_act.includes(table.seat)) return this.show([h("p", t("Now the others move."))]);
		if (this.turn !== app.version) this.beginTurn();
		return this.read < Math.min(this.due, this.lessons.length) ? this.teach() : this.advise(table);
	}

	async beginTurn() {
		const {app} = this;
		const isFirst = !this.turn;
		if (this.isTeaching) this.read += 1; // the player moved meanwhile
		this.turn = app.version;
		this.due = Math.max(this.due, isFirst ? 2 : this.read + 1); // first the aim, and how to move
		this.move = null;
		this.says = t("Looking for a good move …");
		try {
			const {turn} = this;
			const found = await app.composing.suggest();
			if (this.turn !== turn) return;
			if (found?.version !== turn) {
				this.turn = OVERTAKEN;
				return;
			}
			this.move = found.move;
			this.says = t("You can choose only what the rules allow, so try what you like.");
		} catch (error) {
			this.says = error.message;
		}
		if (app.guide === this) this.draw();
	}

	teach() {
		const {lessons, read} = this;
		this.show([h("p", h("span", {lang: this.app.ruleset.guided}, ...lessons[read]), " ", lessons.length > 1 ? h("span.of", t("{number} of {count}", {number: read + 1, count: lessons.length})) : null)], t("Next"), () => {
			this.read += 1;
			this.draw();
		});
		this.isTeaching = true;
		this.root.classList.add("lesson");
	}

	/** @param {Table} table */
	advise(table) {
		const {move, app} = this;
		if (!move) return this.show([h("p", this.says)]);
		const {choice} = app.composing;
		const wanted = choiceOf(move, table);
		const named = {move: capital(describe(move, table, app.bar.wording()))};
		const words = h("p", h("strong", t("A good move: {move}.", {move: describe(move, table, app.bar.wording(true))})), " ", h("span", {lang: this.app.ruleset.guided}, this.reason(move)));
		if (JSON.stringify(choice) === JSON.stringify(wanted)) return this.show([h("p", t("It is chosen: press “{move}”.", named)), words]);
		return this.show([words], t("Show me"), () => {
			app.composing.choice = wanted ?? choice;
			app.draw();
		});
	}

	/** The first hand is over, and the guide goes with the player's next move.
	 * @param {Entry[]} since */
	finish(since) {
		if (since.some(({type, seat}) => type === "moved" && seat === this.app.seat)) return this.end();
		rememberGuided("");
		return this.show([h("p", t("That was your first hand: now you know how it goes. Tip shows a good move whenever you ask, and How to play is in the menu."))], t("Play on"), () => this.end());
	}

	/** What the guide of the game says about a kind of move, or else its rule.
	 * @param {Move} move  @returns {string} */
	reason({type}) {
		const {id, rules} = this.app.ruleset;
		return this.tips[type] ?? rules?.find(rule => rule.id === `${id}.${type}`)?.text ?? "";
	}

	/** @param {any[]} children  @param {string} [label]  @param {(() => void) | null} [run] */
	show(children, label = "", run = null) {
		this.isTeaching = false;
		this.root.classList.remove("lesson");
		fill(this.words, ...children);
		if (!run && this.button === document.activeElement) this.app.focusFirst();
		this.button.hidden = !run;
		text(this.button, label);
		this.button.onclick = run;
	}
}
