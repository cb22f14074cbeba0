// A table on a page: it draws the game of its source, and sends moves.

import {Announcer} from "./announcer.js";
import {Bar} from "./bar.js";
import {Composing, STALE} from "../play/composing.js";
import {afterwards} from "../play/ending.js";
import {card} from "../cards/cards.js";
import {choosable} from "../model/compose.js";
import {ask, h, text} from "./dom.js";
import {overlayOf, TableView} from "./draw.js";
import {callPlayer, dress} from "../cards/look.js";
import {keys} from "./keys.js";
import {Log} from "./log.js";
import {idle, isOver, nameOf} from "../model/model.js";
import {fly, isStill, places} from "./motion.js";
import {Panel} from "./panel.js";
import {RecordedGame} from "../game/recorded.js";
import {Replay} from "./replay.js";
import {prefer, preference} from "../game/storage.js";

const AROUND = 80; // entries loaded before the version shown
const TRICK = 900; // milliseconds that a completed trick stays
const CATCH_UP = 8; // versions shown one by one; if farther behind, only the newest
const STEP = 550;
const RETRY = 2000;

export class TableApp {
	constructor(root, {readonly = false, isPage = false, onEnd = () => {}} = {}) {
		Object.assign(this, {root, readonly, isPage, onEnd, entries: new Map(), following: true, oneTap: false, wanted: 0, opened: 0});
		this.composing = new Composing(this);
		this.view = new TableView(act => this.did(act));
		this.bar = new Bar(act => this.did(act));
		this.log = new Log(version => this.goTo(version));
		this.replay = new Replay(version => this.goTo(version), this);
		this.panel = new Panel(this);
		this.announcer = new Announcer();
		this.trouble = h("p.trouble", {role: "alert", hidden: true, title: "Click to dismiss", onclick: () => this.note("")});
		const headline = h("div.headline", this.view.title, this.panel.menuButton);
		this.stage = h("div.stage", headline, this.view.chips, this.view.felt, this.view.own, this.bar.root, this.replay.root, this.panel.asked, this.trouble, this.announcer.root);
		this.app = h("div.app", this.stage, this.panel.root);
		root.append(this.app);
		if (readonly) this.bar.root.hidden = true;
		keys(this);
	}

	/** Show a game; false if another one was opened, or the table was closed, before it had come. */
	open(source, version = 0) {
		this.close();
		const {opened} = this;
		const isWanted = () => opened === this.opened;
		return this.load(source, version, isWanted).catch(error => isWanted() && Promise.reject(error));
	}

	async load(source, version, isWanted) {
		await source.begin();
		if (!isWanted()) return false;
		Object.assign(this, {source, live: source, entries: new Map(), legal: null, open_: null, game: null, following: true, asking: 0});
		this.composing.begin();
		this.newest = source.newest;
		this.ruleset = source.ruleset;
		this.catalogue = new Map(this.ruleset.cards.map(each => [each.id, each]));
		this.ranks = Object.fromEntries(this.ruleset.cards.map(({id, rank}) => [id, rank]));
		dress(this.app, this.ruleset.id);
		this.panel.begin();
		const wanted = version && version < this.newest.version ? version : this.newest.version;
		this.following = wanted === this.newest.version;
		this.announcer.begin(this.newest.version);
		await this.show(wanted);
		if (!isWanted()) return false;
		if (this.isPage && document.activeElement === document.body) this.land();
		if (source.follow && !isOver(this.newest)) this.watchConnection();
		if (isOver(this.newest)) await this.ended();
		else if (source.follow) this.stop = source.follow(this.newest.version, {take: entry => this.arrived(entry), note: why => this.cut(why), ended: status => status && this.lost(status)});
		this.ask();
		return true;
	}

	close() {
		this.opened += 1;
		this.stop?.();
		this.stop = null;
		this.connection?.abort();
		this.composing.begin();
		for (const timer of [this.trickTimer, this.retryTimer, this.endTimer]) clearTimeout(timer);
		this.replay.pause();
	}

	/** Show a note over the table; a `passing` one goes when others act. */
	note(words, passing = false) {
		this.isPassing = passing;
		text(this.trouble, words);
		this.trouble.hidden = !words;
	}

	cut(why) {
		if (why || this.isCut) this.note(why);
		this.isCut = Boolean(why);
	}

	failed(error) {
		if (error.status && error.status < 500) return this.note(error.message);
		this.isLost = true;
		this.note("Connection lost. Trying again …");
		clearTimeout(this.retryTimer);
		this.retryTimer = setTimeout(() => this.stop && this.catchUp(), RETRY);
		return undefined;
	}

	lost(status) {
		this.note(status === 401 ? "Your token is no longer valid: reload the page to watch." : "The server no longer sends this game: reload the page.");
	}

	get hasFocus() {
		return this.app.contains(this.root.getRootNode().activeElement);
	}

	get version() {
		return this.game?.version ?? 0;
	}

	async goTo(version) {
		this.wanted = Math.max(1, Math.min(version, this.newest.version));
		this.following = this.wanted === this.newest.version;
		this.replay.draw(this.wanted, this.newest.version);
		if (this.going) return;
		this.going = true;
		try {
			while (this.version !== this.wanted) await this.show(this.wanted);
		} catch (error) {
			this.replay.pause();
			this.note(error.message);
		} finally {
			this.going = false;
		}
		if (this.following) this.ask();
	}

	async show(version) {
		this.wanted = version;
		const {opened} = this;
		const source = this.open_ ?? this.live;
		const after = Math.max(0, version - AROUND);
		const lacks = !this.entries.has(version) || !this.entries.has(Math.max(1, version - 20));
		const [game, found] = await Promise.all([source.at(version), lacks ? this.live.entries(after, AROUND + 40) : []]);
		for (const entry of opened === this.opened ? found : []) this.entries.set(entry.seq, entry);
		if (this.wanted !== version || opened !== this.opened) return; // another one is wanted by now
		this.put(this.open_ ? {...this.newest, ...game, id: this.newest.id, viewer: {...this.newest.viewer, whole: true}} : game);
	}

	put(game) {
		const before = this.game && game.version === this.version + 1 ? places(this.stage) : null;
		this.game = game;
		const entry = this.entries.get(game.version);
		clearTimeout(this.trickTimer);
		this.overlay = overlayOf(this.recent());
		if (this.overlay && this.following && !isOver(this.newest)) {
			this.trickTimer = setTimeout(() => {
				this.overlay = null;
				this.draw();
			}, TRICK);
		}
		this.draw();
		if (this.live.isForked) this.note("The server has signed two different logs of this game! Save the receipts and compare them with others’.");
		if (before) fly(this.stage, entry, before, this.catalogue).then(() => this.drawLog()); // the log does not run ahead
		else this.drawLog();
		if (this.following) this.announcer.tell(this);
		this.replay.draw(this.wanted, this.newest.version);
		this.panel.draw();
	}

	drawLog() {
		const {newest, ruleset, entries, version, catalogue} = this;
		this.log.draw({game: newest, ruleset, entries, version, newest: newest.version, catalogue});
	}

	known() {
		return [...this.entries.values()].sort((one, other) => one.seq - other.seq);
	}

	recent() {
		const found = [];
		for (let seq = this.version; seq > this.version - AROUND && this.entries.has(seq); seq--) found.push(this.entries.get(seq));
		return found.reverse();
	}

	draw() {
		const {game, ruleset, catalogue} = this;
		const {hasFocus} = this;
		const table = this.table();
		const {choice, options, verdict, sending, says, tappable} = this.composing.now(table);
		const zonesToChoose = table ? choosable(choice, table) : new Set();
		this.view.draw({game, ruleset, catalogue, entries: this.recent(), legal: table && this.legal, choice, options, overlay: this.overlay, zonesToChoose, tappable});
		this.bar.draw({game, ruleset, catalogue, table, choice, options, verdict, sending, says, idle: this.idle(),
			canAsk: this.canAsk, home: this.home, invites: game.seats.filter(({invite}) => invite), afterwards: afterwards(this)});
		const yours = table && game.to_act.includes(this.seat) && !game.result;
		if (yours && !this.wasYours && this.following) callPlayer();
		this.wasYours = Boolean(yours);
		if (this.isPage) document.title = `${yours ? "● Your turn – " : ""}${ruleset.name} · Card Referee`;
		if (hasFocus && !this.hasFocus) this.land();
	}

	/** Whether a bot may suggest moves: nobody plays against other people. */
	get canAsk() {
		const {live, newest, seat} = this;
		return Boolean(live.suggest) && newest.seats.length > 1 && newest.seats.every(({bot}, at) => bot || at === seat);
	}

	get home() {
		return this.live.api.origin;
	}

	get seat() {
		return this.newest?.viewer?.seats?.[0];
	}

	table() {
		if (!this.legal?.moves.length || this.legal.version !== this.version || !this.following || this.readonly) return null;
		return {moves: this.legal.moves, complete: this.legal.complete, specs: this.ruleset.moves, seat: this.seat, zones: this.game.view.zones, ranks: this.ranks};
	}

	idle() {
		if (this.seat !== undefined && !this.following) return "You are viewing an earlier version.";
		return idle(this.newest, this.seat, this.live.hasSecret);
	}

	async ask() {
		if (this.seat === undefined || this.readonly || this.newest.status !== "running" || this.newest.paused) {
			this.legal = null;
			this.reveal();
			return this.game && this.draw();
		}
		const {opened, newest: {version}} = this;
		if (this.legal?.version === version || this.asking === version) return undefined;
		this.asking = version;
		try {
			const legal = await this.live.legal(this.seat);
			if (opened === this.opened && legal && legal.version >= (this.legal?.version ?? 0)) this.legal = legal;
			if (legal?.moves.length) this.welcome();
			if (legal && legal.version > this.version) await this.catchUp();
			else this.draw();
		} catch (error) {
			this.failed(error);
		} finally {
			this.asking = 0;
		}
		return undefined;
	}

	/** Say once for each game on this device how to get help, where nobody plays against other people. */
	welcome() {
		const name = `welcomed:${this.ruleset.id}`;
		if (!this.canAsk || preference(name)) return;
		prefer(name, true);
		this.composing.says = "New here? Tip chooses a good move for you and says why. How to play is in the menu.";
	}

	async reveal() {
		try {
			if (await this.live.reveal?.(why => this.note(why))) await this.catchUp();
		} catch (error) {
			this.note(error.message);
		}
	}

	arrived(entry) {
		if (this.isPassing && entry.seat !== this.seat) this.note("");
		this.entries.set(entry.seq, entry);
		if (entry.type === "said" && entry.seat !== this.seat) this.heard(entry);
		if (entry.seq > this.newest.version) this.catchUp();
	}

	/** Show what somebody says where the log is out of sight. */
	heard({seat, text: words, player}) {
		const {top, height} = this.log.root.getBoundingClientRect();
		if (!height || top > innerHeight - 40) this.note(`${player?.name ?? nameOf(this.newest, seat)}: ${words}`, true);
	}

	/** Say at once when the device is offline, and catch up as soon as it is back. */
	watchConnection() {
		this.connection?.abort();
		this.connection = new AbortController();
		const {signal} = this.connection;
		addEventListener("offline", () => this.cut("You are offline. What you do is sent when the connection is back."), {signal});
		addEventListener("online", () => {
			this.cut("");
			this.catchUp();
		}, {signal});
	}

	async catchUp() {
		if (this.catching) return;
		this.catching = true;
		try {
			do {
				const before = this.newest.version;
				await this.live.refresh();
				this.newest = this.live.newest;
				this.composing.says = null;
				if (!this.following) {
					this.replay.draw(this.wanted, this.newest.version);
					this.drawLog();
					continue;
				}
				const behind = this.newest.version - before;
				for (let version = before + 1; version < this.newest.version && behind <= CATCH_UP && !isStill() && this.following; version++) {
					await this.show(version);
					await new Promise(done => setTimeout(done, this.overlay ? TRICK : STEP));
				}
				if (this.following) await this.show(this.newest.version);
			} while (Math.max(...this.entries.keys()) > this.newest.version);
			if (this.isLost) this.note("");
			this.isLost = false;
		} catch (error) {
			this.failed(error);
		} finally {
			this.catching = false;
		}
		if (isOver(this.newest)) await this.ended();
		else this.ask();
	}

	async ended() {
		const wasFollowing = Boolean(this.stop);
		this.stop?.();
		this.stop = null;
		this.legal = null;
		this.onEnd(this.newest);
		if (this.newest.view && this.live.record && !this.readonly) await this.openHands(true);
		this.draw();
		this.panel.draw();
		const {opened} = this;
		if (wasFollowing && !this.readonly) this.endTimer = setTimeout(() => opened === this.opened && this.panel.showResult(false), TRICK);
	}

	async openHands(wanted) {
		if (wanted && !this.recorded) {
			try {
				const opened = new RecordedGame(await this.live.record(), this.live.api.origin);
				await opened.begin();
				this.recorded = opened;
			} catch {
				return; // cards stay as seen before
			}
		}
		this.open_ = wanted ? this.recorded : null;
		await this.show(this.wanted);
	}

	/** Do what the player tapped or pressed. */
	did(act) {
		if (act.open) return this.openZone(act.open);
		if (act.run) return act.run();
		if (act.invite) return this.panel.invite(...act.invite);
		return this.composing.did(act);
	}

	/** Send the chosen move if there is exactly one; else return false. */
	confirm() {
		const [button, ...more] = this.bar.confirm.querySelectorAll("button.send:not(:disabled)");
		if (!button || more.length) return false;
		button.click();
		return true;
	}

	/** Focus what the player needs first. */
	land() {
		const {bar, view, game} = this;
		const first = game.view ? view.own.hidden || view.hand : bar.confirm.firstElementChild;
		(first?.focus ? first : view.title).focus({preventScroll: true});
	}

	openZone({label, cards}) {
		const known = cards.filter(id => id !== null);
		ask(this.app, label, [h("div.spread", ...known.map(id => card(id, this.catalogue)))]);
	}

	async act(path, body, done) {
		try {
			await this.live.post(path, body, why => this.note(why));
			this.note("");
			await this.catchUp();
			if (done) this.note(done, true);
		} catch (error) {
			if (error.status === 412) await this.catchUp();
			this.note(error.status === 412 ? STALE : error.message);
		}
	}
}
