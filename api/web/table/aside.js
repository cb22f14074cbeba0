// @ts-check
// What stands beside the game: log, panel, replay, keys, what is announced, and cards that fly. It comes when a move is possible.

import {Announcer} from "./announcer.js";
import {card} from "../cards/cards.js";
import {play, soundOf} from "../cards/sound.js";
import {flash, nodes} from "./draw.js";
import {handWords} from "../model/results.js";
import {chips, describe} from "../model/model.js";
import {sentences, spoken, wholeMove} from "../model/sentences.js";
import {ask, h} from "./dom.js";
import {keys} from "./keys.js";
import {Log} from "./log.js";
import {fly, places} from "./motion.js";
import {Panel} from "./panel.js";
import {Replay} from "./replay.js";
import {letDrag} from "../play/drag.js";
import {Presence} from "../play/presence.js";
import {t} from "../texts.js";

/** @import {Entry, Game, Zone} from "../types.d.ts" */

export class Aside {
	/** @param {import("./app.js").TableApp} app */
	constructor(app) {
		this.app = app;
		this.log = new Log(version => app.goTo(version));
		app.replay = new Replay(version => app.goTo(version), app);
		app.panel = new Panel(app, this.log.root);
		this.announcer = new Announcer();
		this.presence = new Presence(app);
		app.panel.root.prepend(this.presence.root);
		app.trouble.before(app.panel.asked);
		app.bar.root.after(app.replay.root);
		app.trouble.after(this.announcer.root);
		app.frame.append(app.panel.root);
		keys(app);
		letDrag(app);
		if (!app.game) return;
		this.begin();
		app.panel.countMissed();
		app.bar.draw({...app.bar.shown, tips: app.panel.tips});
		this.drawLog();
		this.draw();
	}

	/** Begin with another game. */
	begin() {
		this.app.panel.begin();
		this.announcer.begin(this.app.heard);
		this.presence.begin();
	}

	draw() {
		const {app} = this;
		if (app.following) this.announcer.announce(app, entry => this.tell(this.unasked(entry)));
		app.replay.draw(app.timeline.wanted, app.newest.version);
		app.panel.draw();
		this.presence.draw();
		if (!app.newest.view) void app.later(() => import("../play/waiting.js")).then(({drawWaiting}) => drawWaiting(app));
	}

	/** Draw the log; who follows the game reads nothing that the table has not shown yet. */
	drawLog(version = this.app.version) {
		const {newest, ruleset, timeline: {entries}, following, catalogue} = this.app;
		this.log.draw({game: newest, ruleset, entries, version, newest: following ? version : newest.version, catalogue});
	}

	/** What happened in an earlier version, which the title says while it is shown. */
	headline() {
		const {version, newest, ruleset, following, timeline: {entries}} = this.app;
		const entry = entries.get(version);
		return following || !entry ? null : sentences(entry, newest, null, ruleset, entries)[0];
	}

	/** Where the cards are, for `fly`. */
	places() {
		return places(this.app.stage);
	}

	/** Let the cards of an entry fly from where they were; the log does not run ahead.
	 * @param {Entry | undefined} entry  @param {Map<string, DOMRect>} before  @param {Game | null} earlier */
	async fly(entry, before, earlier) {
		const {version, opened, overlay} = this.app;
		if (entry && this.app.following) this.perform(entry, earlier);
		await fly(this.app.stage, entry, before, this.app.catalogue, overlay?.zone);
		if (opened === this.app.opened) this.drawLog(this.app.following ? version : this.app.version);
	}

	/** Return what lets the complete trick glide to whoever took it, once it has been drawn there. */
	glide() {
		const {stage, timeline, version, catalogue, overlay} = this.app;
		const before = this.places();
		return () => fly(stage, timeline.entries.get(version), before, catalogue, overlay?.zone, true);
	}

	/** Let an entry be heard, and what is said in it be seen at its seat, and what a hand brought that it ended.
	 * @param {Entry} entry  @param {Game | null} earlier */
	perform(entry, earlier) {
		const {view, seat, ruleset, catalogue, timeline, trouble} = this.app;
		for (const told of trouble.parentElement?.querySelectorAll(".hand-over") ?? []) told.remove();
		const calls = game => (game ? chips(game, ruleset).filter(({rank}) => rank === 0) : []); // that wait for an answer
		const called = calls(this.app.game).filter(({name}) => !calls(earlier).some(one => one.name === name));
		for (const words of [handWords(entry, earlier, ruleset, catalogue, timeline.entries), ...called.map(({parts}) => nodes(parts, catalogue))]) this.tell(words);
		const sound = soundOf(entry);
		if (sound) play(sound);
		const said = entry.seat == null || entry.seat === seat ? [] : spoken(entry);
		if (said.length) view.speak(entry.seat, nodes(said, catalogue));
	}

	/** Say something above the felt for a moment, and return it; readers hear it from the announcer. @param {any} words */
	tell(words) {
		const {parentElement: notes} = this.app.trouble;
		if (words.length && notes) flash(notes, h("p.hand-over", {"aria-hidden": "true"}, words));
		return words;
	}

	/** What was played for the player, who has pressed nothing; "" if nothing was.
	 * @param {Entry} entry */
	unasked(entry) {
		const {seat = -1, ruleset, bar, composing} = this.app;
		const isForced = entry.seq === composing.forcedAt;
		if (entry.type !== "moved" || entry.seat !== seat || !(isForced || entry.order)) return "";
		const move = describe(wholeMove(entry), /** @type {any} */ ({specs: ruleset.moves, seat, zones: {}}), bar.wording(true));
		return isForced ? t("You could only {move}, so that was done for you.", {move}) : t("Played as you had laid it out: {move}.", {move});
	}

	/** Show all cards of a pile. @param {Zone} zone */
	open({label, cards}) {
		const {frame, catalogue} = this.app;
		const known = cards.filter(id => id !== null);
		ask(frame, label, [h("div.spread", ...known.map(id => card(id, catalogue)))]);
	}
}
