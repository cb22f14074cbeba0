// @ts-check
// What a player chooses at the table, until the move is sent; and why something cannot be chosen.

import {attempt, choiceOf, isTalk, keep, NOTHING, options, set, setType, tap} from "../model/compose.js";
import {describe} from "../model/model.js";
import {preference} from "../game/storage.js";
import {t} from "../texts.js";

/** @import {Act, Choice, Move, Pick, Table} from "../types.d.ts" */

export const STALE = t("The game has changed meanwhile. Look again.");
const JUDGE = 200; // milliseconds after the last change of a choice
const HOVER = 350;
const FORCED = 2000; // until the only move that there is is made

export class Composing {
	constructor(app) {
		this.app = app;
		this.questions = 0; // how often something was asked or chosen: later answers are to earlier ones
		this.reasons = new Map();
		this.begin();
	}

	begin() {
		this.forget();
		this.sending = false;
		this.forcedAt = 0;
		this.reasons = new Map();
	}

	forget() {
		clearTimeout(this.timer);
		clearTimeout(this.forced);
		this.forcing = 0; // the version at which the only move is about to be made
		this.questions += 1;
		this.choice = NOTHING;
		this.verdict = this.says = null;
		this.isTipWanted = false;
		this.early = null; // a card that was tapped before it was known what is possible, and the version
		this.advising = 0; // the version that a tip has been asked for
		/** @type {import("../types.d.ts").Suggestion | null} the last tip */
		this.found = null;
		/** @type {{version: number, found: Promise<any>} | null} what was asked of a bot last */
		this.asked = null;
		this.depth = 0; // how much of it is told: 1 which cards, 2 the move, 3 the reason for it
		/** @type {(string | null)[]} */
		this.tips = []; // the cards of a tip that are shown, and not chosen
	}

	/** What the table and the bar show of a choice: `ahead` is what can be laid out for a later turn.
	 * @param {Table | null} table  @param {Table | null} [ahead] */
	now(table, ahead = null) {
		if (table || ahead) this.choice = this.kept([table, ahead]);
		const {choice, verdict, sending} = this;
		const says = this.isTipWanted ? t("Looking for a good move …") : this.says;
		const isAhead = Boolean(ahead && (!table || choice.picks.length > keep(choice, table).picks.length));
		const tappable = (zone, index, card) => (!table && !ahead) || (!sending && Boolean(this.tapped({zone, index, card}, table, ahead)));
		const later = ahead && choice.picks.length ? options(choice, ahead) : null;
		const found = table ? options(choice, table) : null;
		this.isAhead = isAhead;
		const shown = isAhead && later ? {...later, types: table ? options(NOTHING, table).types.filter(({move}) => move) : [], confirm: [], dry: null} : found;
		return {choice, options: shown, later: later?.confirm ?? [], verdict, sending, says, tappable};
	}

	/** The choice as far as one of the tables still has it.
	 * @param {(Table | null)[]} tables */
	kept(tables) {
		return tables.flatMap(table => (table ? [keep(this.choice, table)] : []))
			.reduce((best, one) => (one.picks.length > best.picks.length ? one : best));
	}

	/** The choice after a tap on a card: for a move now, or else for a later one; null if it has no meaning.
	 * @param {Pick} pick  @param {Table | null} table  @param {Table | null} ahead */
	tapped(pick, table, ahead) {
		return (table && tap(this.choice, pick, table)) ?? (ahead && tap(this.choice, pick, ahead));
	}

	/** Do what the player tapped or pressed.
	 * @param {Act} act */
	perform(act) {
		if (act.send) return this.send(act.send);
		if (act.lay) return this.layOut(act.lay);
		if (act.remove !== undefined) return this.takeBack(act.remove);
		const table = this.app.table();
		const ahead = this.app.ahead();
		if (this.sending) return undefined;
		const isEarly = !table && !ahead;
		if (!("why" in act)) this.early = isEarly && act.card ? {card: act.card, version: this.app.version} : null;
		if (isEarly) return undefined;
		if (table && act.tip) return this.tip(table);
		if ("why" in act) return table && this.explain(act.why ?? null, table, act.soon);
		if (act.card) {
			const next = this.tapped(act.card, table, ahead);
			return next && this.chose(next, table);
		}
		const next = this.after(act, /** @type {Table} */ (this.isAhead ? ahead : table ?? ahead));
		return next && this.chose(next, table);
	}

	/** Choose the card that was tapped before the legal moves came, if the table is still the same. */
	chooseEarly() {
		const {early, app} = this;
		this.early = null;
		return early && early.version === app.version ? this.perform({card: early.card}) : undefined;
	}

	/** Lay a move out for a later turn. @param {Move} move */
	async layOut(move) {
		this.forget();
		this.app.focusFirst(); // the button will be gone
		this.says = await this.app.orders?.lay(move);
		this.app.draw();
	}

	/** @param {number} n  the number of the order that is taken back */
	async takeBack(n) {
		this.app.focusFirst();
		this.says = await this.app.orders?.remove(n);
		this.app.draw();
	}

	/** Ask what a skilled bot would do; asked again, tell more of it. Who plays against other people is told only what can be played.
	 * @param {Table} table */
	tip(table) {
		const {app} = this;
		if (!app.canAsk) return app.later(() => import("./guide.js")).then(({sayPlayable}) => sayPlayable(app, table));
		if (this.found && this.found.version === app.version) this.choose(this.found, table);
		else this.isTipWanted = true;
		return app.draw();
	}

	/** Ask what a skilled bot would do now: once for each version, so that all that advises a player says the same.
	 * @returns {Promise<any>} */
	suggest() {
		const {asked, app: {live, seat, version}} = this;
		const found = asked && asked.version === version ? asked.found : live.suggest(seat);
		this.asked = {version, found};
		found.then(answer => answer?.version === version || (this.asked = null), () => (this.asked = null)); // it may succeed the next time
		return found;
	}

	/** Choose the tip that the player wants, and say why. Called whenever the table is drawn: what is overtaken is asked again for
	 * the version shown, as long as it is the player's turn.
	 * @param {Table | null} table  @param {boolean} isAwaited */
	async advise(table, isAwaited) {
		const {app} = this;
		const {version} = app;
		this.force(table, isAwaited);
		if (!table && !isAwaited) this.isTipWanted = false;
		if (!table || !this.isTipWanted || this.advising === version) return;
		this.advising = version;
		const found = await this.suggest().catch(error => ({error}));
		if (this.advising !== version) return;
		this.advising = 0;
		if (!this.isTipWanted) return;
		const now = app.table();
		if (!found?.error && (found?.version !== app.version || !now)) {
			await app.catchUp();
			return app.draw();
		}
		this.isTipWanted = false;
		if (found.error) this.says = found.error.message;
		else this.choose(found, now);
		app.draw();
	}

	/** Make the only move that there is after a moment, if nothing is to be chosen with it: pass, draw, take.
	 * @param {Table | null} table  @param {boolean} isAwaited */
	force(table, isAwaited) {
		const {app} = this;
		const moves = table && isAwaited ? table.moves.filter(({type}) => !isTalk(table.specs[type])) : [];
		const isForced = moves.length === 1 && Object.keys(moves[0]).length === 1 && !this.sending && !app.guide && !preference("no-forced");
		if (isForced && this.forcing === app.version) return;
		clearTimeout(this.forced);
		this.forcing = isForced ? app.version : 0;
		if (isForced) this.forced = setTimeout(() => app.table() && this.forcing === app.version && this.send(moves[0], true), FORCED);
	}

	/** Tell one thing more of a tip. @param {import("../types.d.ts").Suggestion} found  @param {Table} table */
	choose(found, table) {
		const {app} = this;
		const {move} = found;
		if (!move) return (this.says = t("You can choose only what the rules allow, so try what you like."));
		const choice = choiceOf(move, table);
		const say = app.bar.wording(true);
		this.tips = choice?.picks.flatMap(({card}) => card ?? []) ?? [];
		this.depth = this.found === found ? this.depth + 1 : this.tips.length ? 1 : 2;
		this.found = found;
		if (this.depth === 1) return (this.says = t("A good choice: {cards}.", {cards: say.cards(this.tips)}));
		this.choice = choice ?? this.choice;
		const advice = t("A good move: {move}.", {move: describe(move, table, say)});
		return (this.says = `${advice} ${this.depth > 2 && app.panel?.tips[move.type] || ""}`.trim());
	}

	/** @param {Act} act  @param {Table} table */
	after({clear, type, put, values}, table) {
		const {choice} = this;
		if (clear) return NOTHING;
		if (type) return setType(choice, type, table);
		return put ? {...choice, values: {...choice.values, ...values}} : set(choice, values ?? {}, table);
	}

	/** @param {Choice} choice  @param {Table | null} table */
	chose(choice, table) {
		this.choice = choice;
		this.verdict = this.says = null;
		this.isTipWanted = false;
		this.tips = [];
		this.questions += 1; // what is answered from now on was asked before
		clearTimeout(this.timer);
		const {options: found, later} = this.now(table, this.app.ahead());
		const dry = found?.dry;
		if (dry) this.timer = setTimeout(() => this.judge(dry), JUDGE);
		const offered = [...(found?.confirm ?? []), ...later];
		if (this.app.oneTap && !dry && offered.length === 1 && choice.picks.length === 1) return later.length ? this.layOut(later[0]) : this.send(offered[0]);
		return this.app.draw();
	}

	/** @param {Move} move */
	async judge(move) {
		const {choice, app} = this;
		if (!app.table()) return;
		try {
			const verdict = await app.live.judge(app.seat, move);
			if (choice !== this.choice || !verdict) return;
			this.verdict = verdict;
		} catch (error) {
			this.says = error.message;
		}
		app.draw();
	}

	/** Say why a card cannot be chosen: in the words of the rule that refuses a move with it.
	 * @param {Pick | null} pick  @param {Table} table  @param {boolean} [isSoon] */
	explain(pick, table, isSoon) {
		clearTimeout(this.timer);
		this.questions += 1;
		if (pick) this.timer = setTimeout(() => this.ask(pick, table), isSoon ? HOVER : 0);
	}

	/** @param {Pick} pick  @param {Table} table */
	async ask(pick, table) {
		const {app, choice, questions} = this;
		const move = attempt(choice, pick, table);
		if (!move || !app.table()) return;
		const key = `${app.version} ${JSON.stringify(move)}`;
		try {
			const verdict = this.reasons.get(key) ?? await app.live.judge(app.seat, move);
			if (verdict) this.reasons.set(key, verdict);
			if (!verdict || questions !== this.questions || key !== `${app.version} ${JSON.stringify(move)}`) return;
			this.says = verdict.legal ? t("This card does not fit what you have chosen.") : verdict;
		} catch (error) {
			this.says = error.message;
		}
		app.draw();
	}

	/** Send a move; if something else has happened before it, say so to a player who has chosen it.
	 * @param {Move} move */
	async send(move, isForced = false) {
		const {app} = this;
		if (this.sending) return;
		if (app.bar.root.matches(":focus-within")) app.focusFirst(); // the button will be gone
		clearTimeout(this.timer);
		this.sending = true;
		if (isForced) this.forcedAt = app.version + 1; // the entry that it makes, if nothing comes before it
		this.isTipWanted = false;
		app.draw();
		try {
			const {entry, game} = await app.live.move(app.seat, move, why => {
				this.sending = why;
				app.draw();
			});
			this.forget();
			app.timeline.entries.set(entry.seq, entry);
			this.sending = false;
			if (game.version > app.version) await app.catchUp();
		} catch (error) {
			this.sending = false;
			const isOvertaken = error.status === 412 || error.status === 409;
			if (isOvertaken) await app.catchUp();
			if (app.newest.result || (isForced && isOvertaken)) return;
			this.says = error.status === 412 ? STALE : error.body?.verdict ?? error.message;
		} finally {
			this.sending = false;
			app.draw();
		}
	}
}
