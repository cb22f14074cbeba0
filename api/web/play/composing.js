// @ts-check
// What a player chooses at the table, until the move is sent; and why something cannot be chosen.

import {attempt, choiceOf, hint, keep, NOTHING, options, set, setType, tap} from "../model/compose.js";
import {describe} from "../model/describe.js";
import {t} from "../texts.js";

/** @import {Act, Choice, Move, Pick, Table} from "../types.d.ts" */

export const STALE = t("The game has changed meanwhile. Look again.");
const JUDGE = 200; // milliseconds after the last change of a choice
const HOVER = 350;

/** The tips in a game's guide, by type of move. */
export const tipsOf = (guide = "") => Object.fromEntries([...guide.matchAll(/^- `(\w+)` — (.+)$/gm)].map(([, type, tip]) => [type, tip]));

export class Composing {
	constructor(app) {
		this.app = app;
		this.reasons = new Map();
		this.begin();
	}

	begin() {
		this.forget();
		this.sending = false;
		this.reasons = new Map();
	}

	forget() {
		clearTimeout(this.timer);
		this.choice = NOTHING;
		this.verdict = this.says = null;
	}

	/** What the table and the bar show of a choice.
	 * @param {Table | null} table */
	now(table) {
		if (table) this.choice = keep(this.choice, table);
		const {choice, verdict, sending, says} = this;
		const tappable = (zone, index, card) => table && !sending && tap(choice, {zone, index, card}, table) !== null;
		return {choice, options: table ? options(choice, table) : null, verdict, sending, says, tappable};
	}

	/** Do what the player tapped or pressed.
	 * @param {Act} act */
	perform(act) {
		if (act.send) return this.send(act.send);
		const table = this.app.table();
		if (!table || this.sending) return undefined;
		if (act.tip) return this.tip(table);
		if ("why" in act) return this.explain(act.why ?? null, table, act.soon);
		const next = this.after(act, table);
		return next && this.chose(next, table);
	}

	/** Choose what a careful bot would do, and say why: only where nobody plays against other people.
	 * @param {Table} table */
	async tip(table) {
		const {app, choice} = this;
		try {
			const {move, version} = await app.live.suggest(app.seat);
			if (!move || version !== app.version || choice !== this.choice) return;
			this.choice = choiceOf(move, table) ?? choice;
			const why = tipsOf(app.ruleset.how_to_play)[move.type] ?? "";
			this.says = `${t("A careful bot would choose: {move}.", {move: describe(move, table, app.bar.wording())})} ${why}`.trim();
		} catch (error) {
			this.says = error.message;
		}
		app.draw();
	}

	/** @param {Act} act  @param {Table} table */
	after({card: pick, clear, hint: isHint, type, put, values}, table) {
		const {choice} = this;
		if (pick) return tap(choice, pick, table);
		if (clear) return NOTHING;
		if (isHint) {
			this.hints = (this.hints ?? -1) + 1;
			return hint(choice.type ? {...NOTHING, type: choice.type} : NOTHING, this.hints, table) ?? choice;
		}
		if (type) return setType(choice, type, table);
		return put ? {...choice, values: {...choice.values, ...values}} : set(choice, values ?? {}, table);
	}

	/** @param {Choice} choice  @param {Table} table */
	chose(choice, table) {
		this.choice = choice;
		this.verdict = this.says = null;
		clearTimeout(this.timer);
		const found = options(choice, table);
		const {dry} = found;
		if (dry) this.timer = setTimeout(() => this.judge(dry), JUDGE);
		if (this.app.oneTap && !found.dry && found.confirm.length === 1 && choice.picks.length === 1) return this.send(found.confirm[0]);
		return this.app.draw();
	}

	/** @param {Move} move */
	async judge(move) {
		const {choice} = this;
		try {
			const verdict = await this.app.live.judge(this.app.seat, move);
			if (choice !== this.choice) return;
			this.verdict = verdict;
		} catch (error) {
			this.says = error.message;
		}
		this.app.draw();
	}

	/** Say why a card cannot be chosen: in the words of the rule that refuses a move with it.
	 * @param {Pick | null} pick  @param {Table} table  @param {boolean} [isSoon] */
	explain(pick, table, isSoon) {
		clearTimeout(this.timer);
		if (pick) this.timer = setTimeout(() => this.ask(pick, table), isSoon ? HOVER : 0);
	}

	/** @param {Pick} pick  @param {Table} table */
	async ask(pick, table) {
		const {app, choice} = this;
		const move = attempt(choice, pick, table);
		if (!move) return;
		const key = `${app.version} ${JSON.stringify(move)}`;
		try {
			if (!this.reasons.has(key)) this.reasons.set(key, await app.live.judge(app.seat, move));
			if (choice !== this.choice || key !== `${app.version} ${JSON.stringify(move)}`) return;
			const verdict = this.reasons.get(key);
			this.says = verdict.legal ? t("This card does not fit what you have chosen.") : verdict;
		} catch (error) {
			this.says = error.message;
		}
		app.draw();
	}

	/** @param {Move} move */
	async send(move) {
		const {app} = this;
		if (this.sending) return;
		if (app.bar.root.matches(":focus-within")) app.focusFirst(); // the button will be gone
		this.sending = true;
		app.draw();
		try {
			const {entry, game} = await app.live.move(app.seat, move, why => {
				this.sending = why;
				app.draw();
			});
			this.forget();
			app.timeline.entries.set(entry.seq, entry);
			this.sending = false;
			if (game.version > app.version) await app.connection.catchUp();
		} catch (error) {
			this.sending = false;
			this.says = error.status === 412 ? STALE : error.body?.verdict ?? error.message;
			if (error.status === 412 || error.status === 409) await app.connection.catchUp();
		} finally {
			this.sending = false;
			app.draw();
		}
	}
}
