// @ts-check
// A table on a page: it draws the game of its source, and sends moves.

import {afterwards, Bar} from "./bar.js";
import {Composing, STALE} from "../play/composing.js";
import {dress, paint} from "../cards/cards.js";
import {choosable} from "../model/compose.js";
import {later, Timeline} from "../game/client.js";
import {h, style, text, TRICK} from "./dom.js";
import {overlayOf, TableView} from "./draw.js";
import {idle, isOver, nameOf, unfit} from "../model/model.js";
import {chosen, preference} from "../game/storage.js";
import {cardName, learn, t} from "../texts.js";

/** @import {Act, Catalogue, Game, LegalMoves, Listener, Offer, Ruleset, Source, Table} from "../types.d.ts" */

const RESULT = 1200; // milliseconds until the result comes, after the end
const [PASSING, LASTING] = [6000, 15_000]; // milliseconds that notes stay

export class TableApp {
	/** @param {Element} root  @param {{readonly?: boolean, isPage?: boolean, listener?: Listener}} [options] */
	constructor(root, {readonly = false, isPage = false, listener = {}} = {}) {
		this.root = root;
		this.readonly = readonly;
		this.isPage = isPage;
		this.listener = listener;
		this.opened = 0; // how often a game was opened or closed: what was begun before is of no use
		this.oneTap = false;
		/** @type {Source} */
		this.live = /** @type {any} */ (null);
		/** @type {Ruleset} */
		this.ruleset = /** @type {any} */ (null);
		/** @type {Catalogue} */
		this.catalogue = new Map();
		/** @type {Game} */
		this.newest = /** @type {any} */ (null);
		/** @type {Game | null} the version shown */
		this.game = null;
		/** @type {LegalMoves | null} */
		this.legal = null;
		/** @type {import("../game/orders.js").Orders | null} */
		this.orders = null;
		/** @type {(() => import("../types.d.ts").Item[]) | null} more items of the menu */
		this.extras = null;
		/** @type {[string, () => unknown][]} buttons for somebody without a seat */
		this.offers = [];
		/** @type {import("../play/guide.js").Guide | null} through a first game */
		this.guide = null;
		this.welcomed = 0; // the last version in which a newcomer was told something
		/** @type {import("./aside.js").Aside | null} what stands beside the game; it comes later, see `complete` */
		this.aside = null;
		/** @type {import("./panel.js").Panel} */
		this.panel = /** @type {any} */ (null);
		/** @type {import("./replay.js").Replay} */
		this.replay = /** @type {any} */ (null);
		/** @type {import("../game/connection.js").Connection | null} what keeps the table up to date, see `connect` */
		this.connection = null;
		/** @type {Promise<import("../game/connection.js").Connection> | null} */
		this.connecting = null;
		/** @type {Promise<import("./aside.js").Aside> | null} */
		this.completing = null;
		/** @type {import("../types.d.ts").Offer | null} */
		this.again = null;
		/** @type {string[]} types of entries after which the legal moves are as before; they come later */
		this.unchanging = [];
		this.heard = 0; // the version from which on entries are announced
		this.timeline = new Timeline(this, () => import("../game/recorded.js"));
		this.composing = new Composing(this);
		this.view = new TableView(act => this.perform(act));
		this.bar = new Bar(act => this.perform(act));
		this.menuButton = h("details.menu", h("summary", {"aria-label": t("Menu")}, "⋯"), h("div.menu-items", h("p.status", {role: "status"}, t("Loading …"))));
		this.trouble = h("p.trouble", {role: "alert", hidden: true}, h("span"), h("button.close", {"aria-label": t("Close"), onclick: () => this.note("")}));
		this.whatIf = h("button.what-if", {hidden: true, "aria-label": t("What if? Back to the game"), title: t("Back to the game"), onclick: () => this.live.leave()}, `${t("What if?")} ✕`);
		this.talkButton = h("button.talk-button", {"aria-label": t("Talk"), title: t("Talk")});
		this.stage = h("div.stage", h("div.headline", this.view.title, this.whatIf, this.talkButton, this.menuButton), this.view.chips, h("div.notes", this.trouble), this.view.felt, this.view.own, this.bar.root);
		this.frame = h("div.app", this.stage);
		root.append(this.frame);
		this.frame.addEventListener("keydown", event => { // the other keys come later, see `aside`
			const isPlain = !(event.ctrlKey || event.altKey || event.metaKey || preference("no-keys"));
			if (event.key === "Enter" && isPlain && event.target instanceof Element && event.target.matches("button.card:not(dialog *)") && this.bar.send()) event.preventDefault();
		});
		if (readonly) this.bar.root.hidden = true;
		this.later(() => import("../model/entry_words.js")).then(({ASIDE}) => (this.unchanging = ASIDE));
		this.pictures = this.later(() => import("../cards/faces.js")).then(({faces}) => paint(faces));
	}

	/** Show a game; false if another one was opened, or the table was closed, before it had come.
	 * @param {Source} source */
	open(source, version = 0) {
		this.close();
		const {opened} = this;
		const isWanted = () => opened === this.opened;
		return this.load(source, version, isWanted).catch(error => isWanted() && Promise.reject(error));
	}

	/** @param {Source} source  @param {number} version  @param {() => boolean} isWanted */
	async load(source, version, isWanted) {
		await source.begin();
		if (!isWanted()) return false;
		this.timeline.begin();
		this.live = source;
		this.legal = this.game = this.orders = this.again = null;
		this.asking = 0;
		this.composing.begin();
		this.newest = source.newest;
		this.ruleset = source.ruleset;
		learn(this.ruleset.words);
		this.catalogue = new Map(this.ruleset.cards.map(each => [each.id, {...each, name: cardName(each.name)}]));
		this.ranks = Object.fromEntries(this.ruleset.cards.map(({id, rank}) => [id, rank]));
		dress(this.frame, this.ruleset.id);
		this.whatIf.hidden = !source.leave;
		this.frame.classList.toggle("sandbox", Boolean(source.leave));
		const wanted = version && version < this.newest.version ? version : this.newest.version;
		this.timeline.isFollowing = wanted === this.newest.version;
		this.heard = this.newest.version;
		this.aside?.begin();
		await this.timeline.show(wanted);
		if (!isWanted()) return false;
		this.panel?.countMissed();
		if (this.isPage && document.activeElement === document.body) this.focusFirst();
		if (isOver(this.newest)) await this.ended();
		else this.connect().then(connection => isWanted() && connection.begin());
		this.ask().then(() => this.complete());
		return true;
	}

	/** Load what keeps the table up to date. */
	connect() {
		return (this.connecting ??= this.later(() => import("../game/connection.js")).then(({Connection}) => (this.connection = new Connection(this))));
	}

	/** Show what is new. */
	async catchUp() {
		await (await this.connect()).catchUp();
	}

	/** Load what stands beside the game, once; a move is possible without it. */
	complete() {
		return (this.completing ??= Promise.all([this.later(() => import("./aside.js")), this.later(() => style("aside", this.frame)), this.pictures])
			.then(([{Aside}]) => (this.aside = new Aside(this))));
	}

	/** Load a part of the page that was not needed before.
	 * @template T  @param {() => Promise<T>} load */
	later(load) {
		return later(load, words => this.note(words));
	}

	/** Read what the viewer has laid out for later turns, which another device may have changed. */
	async readOrders(isAgain = true) {
		const {opened, live, seat, newest, readonly} = this;
		if (!live.post || readonly || seat === undefined || newest.status !== "running" || this.isReading || (this.orders && !isAgain)) return;
		this.isReading = true;
		try {
			const {Orders} = await this.later(() => import("../game/orders.js"));
			const orders = this.orders ?? new Orders(this);
			await orders.load();
			if (opened !== this.opened) return;
			this.orders = orders;
			this.panel?.drawMenu();
			this.draw();
		} catch {
			// Without a connection, with the next version; somebody who acts for the seat has no orders.
		} finally {
			this.isReading = false;
		}
	}

	close() {
		this.opened += 1;
		this.connection?.end();
		this.panel?.ending?.end();
		this.composing.begin();
		for (const timer of [this.trickTimer, this.endTimer]) clearTimeout(timer);
		this.replay?.pause();
	}

	/** Show a note over the table, until it is closed or true no more; an error goes after a while, a `passing` one soon, and when
	 * others act. @param {string | Error} said */
	note(said, passing = false, isAlert = true) {
		const words = said instanceof Error ? said.message : said;
		this.trouble.role = isAlert ? "alert" : null;
		this.isPassing = passing;
		text(/** @type {HTMLElement} */ (this.trouble.firstElementChild), words);
		this.trouble.hidden = !words;
		clearTimeout(this.noteTimer);
		if (passing || said !== words) this.noteTimer = setTimeout(() => this.note(""), passing ? PASSING : LASTING);
	}

	get hasFocus() {
		return this.frame.contains(/** @type {Document | ShadowRoot} */ (this.root.getRootNode()).activeElement);
	}

	/** The version shown. */
	get version() {
		return this.game?.version ?? 0;
	}

	get following() {
		return this.timeline.isFollowing;
	}

	/** @param {number} version */
	goTo(version) {
		return this.timeline.goTo(version);
	}

	/** Show on every screen of the table that somebody keeps a seat in a new game; null: nobody does. @param {Offer | null} again */
	offer(again) {
		this.again = again;
		this.panel?.drawAgain();
		this.draw();
	}

	/** Put a version on the table. @param {Game} game */
	put(game) {
		const before = this.game && game.version === this.version + 1 ? this.aside?.places() : null;
		const [entry, earlier] = [this.timeline.entries.get(game.version), this.game];
		this.game = game;
		clearTimeout(this.trickTimer);
		this.overlay = overlayOf(this.timeline.recent());
		if (this.overlay && this.following && !isOver(this.newest)) {
			this.trickTimer = setTimeout(() => {
				const glide = this.aside?.glide();
				this.overlay = null;
				this.draw();
				glide?.();
			}, TRICK);
		}
		this.draw();
		if (this.live.isForked) this.note(t("The server has signed two different logs of this game! Save the receipts and compare them with others’."));
		if (before) this.aside?.fly(entry, before, earlier);
		else this.aside?.drawLog();
		this.aside?.draw();
	}

	draw() {
		const {game, ruleset, catalogue, hasFocus} = this;
		if (!game) return;
		const table = this.table();
		const isAwaited = game.to_act.includes(this.seat ?? -1) && !game.result;
		const ahead = this.ahead();
		const {choice, options, later, verdict, sending, says, tappable} = this.composing.now(table, ahead);
		const zonesToChoose = new Set([table, ahead].flatMap(each => (each ? [...choosable(choice, each)] : [])));
		this.view.draw({game, headline: this.aside?.headline(), ruleset, home: this.live.api.origin, catalogue, entries: this.timeline.recent(), legal: table && this.legal, choice, options, overlay: this.overlay, isResting: Boolean(this.overlay && this.following), zonesToChoose, tappable, isUnfit: unfit(isAwaited ? table : null), tips: this.composing.tips, ...this.laidOut(isAwaited), mayChoose: Boolean(table || ahead || (this.orders && isAwaited && !this.newest.paused))});
		this.bar.draw({game, ruleset, catalogue, table, choice, options, later, ...this.laidOut(isAwaited), ahead, verdict, sending, says, idle: this.idle(), tips: this.panel?.tips,
			canAsk: this.guide ? null : this.canAsk, home: this.live.api.origin, afterwards: [...this.offers, ...afterwards(this)]});
		const yours = table && isAwaited;
		if (yours && !this.wasYours && this.following) this.later(() => import("../cards/sound.js")).then(({play}) => play("turn"));
		this.wasYours = Boolean(yours);
		if (this.isPage) document.title = `${this.live.leave ? `${t("What if?")} ` : ""}${yours ? `● ${t("Your turn")} – ` : ""}${ruleset.name} · Card Referee`;
		this.guide?.draw();
		this.composing.advise(table, isAwaited);
		if (hasFocus && !this.hasFocus) this.focusFirst();
	}

	/** Whether a bot may suggest moves: nobody plays against other people. */
	get canAsk() {
		const {seats} = this.newest;
		return Boolean(this.live.suggest) && seats.length > 1 && seats.every(({bot}, at) => bot || at === this.seat);
	}

	/** The viewer's seat. @returns {number | undefined} */
	get seat() {
		return this.newest?.viewer?.seats?.[0];
	}

	/** What a player can choose from now, or null. @returns {Table | null} */
	table() {
		const {legal, seat, game} = this;
		if (!legal?.moves.length || !game?.view || seat === undefined || !this.isLegalNow || !this.following || this.readonly) return null;
		return {moves: legal.moves, complete: legal.complete, specs: this.ruleset.moves, kinds: this.ruleset.phases[game.view.phase], seat, zones: game.view.zones, ranks: this.ranks};
	}

	/** Whether the legal moves are those of the version shown: nothing has come since that changes the table. */
	get isLegalNow() {
		const {legal, version, timeline: {entries}} = this;
		let seq = legal ? legal.version : version;
		while (seq < version && this.unchanging.includes(entries.get(seq + 1)?.type ?? "")) seq += 1;
		return seq === version;
	}

	/** The orders of the viewer, which cards they take, and whether a tap takes them back.
	 * @param {boolean} isAwaited */
	laidOut(isAwaited) {
		const {game, orders} = this;
		if (!orders || this.guide || !game?.view || !this.following || game.result) return {};
		return {orders, laid: orders.laid(game.view.zones), canRemove: !isAwaited};
	}

	/** What the player can lay out for a later turn, or null. @returns {Table | null} */
	ahead() {
		const {orders, game, seat, newest} = this;
		if (!orders || this.guide || !game?.view || seat === undefined || !this.following || newest.status !== "running" || newest.paused) return null;
		if (game.to_act.includes(seat) || game.result) return null;
		return orders.table({...game, view: game.view}, this.composing.choice);
	}

	idle() {
		if (this.seat !== undefined && !this.following) return t("You are looking at an earlier moment.");
		const {newest: {id, status}, seat, live} = this;
		if (status === "open" && seat !== undefined && chosen(`again:${id}`)) return t("The others are asked to play again. The game starts when every seat is taken.");
		return idle(this.newest, seat, live.hasSecret);
	}

	/** Ask for the viewer's legal moves. */
	async ask() {
		const {opened, seat, newest: {version}} = this;
		this.listener.onVersion?.(this);
		this.orders?.follow();
		if (seat === undefined || this.readonly || this.newest.status !== "running" || this.newest.paused) {
			this.legal = null;
			this.reveal();
			this.readOrders(false);
			return this.draw();
		}
		if (this.legal?.version === version || this.asking === version) return undefined;
		this.asking = version;
		try {
			const legal = await this.live.legal?.(seat);
			if (opened === this.opened && legal && legal.version >= (this.legal?.version ?? 0)) this.legal = legal;
			if (legal?.moves.length && this.canAsk && !this.guide) void this.later(() => import("../play/guide.js")).then(({welcome}) => welcome(this));
			if (legal && legal.version > this.version) await this.catchUp();
			else this.draw();
			if (legal) this.composing.chooseEarly();
		} catch (error) {
			(await this.connect()).failed(error);
		} finally {
			this.asking = 0;
			this.readOrders(false); // a first move does not wait for them
		}
		return undefined;
	}

	async reveal() {
		try {
			if (await this.live.reveal?.(why => this.note(why))) await this.catchUp();
		} catch (error) {
			this.note(error);
		}
	}

	/** Show how a message begins where it is out of sight, and in no bubble; the announcer tells what is in the log.
	 * @param {{seat?: number | null, text?: string, player?: {name: string} | null}} said */
	showMessage({seat, text: words = "", player}, isAlert = false) {
		const start = [...words].slice(0, 150).join("");
		this.note(`${player?.name ?? nameOf(this.newest, seat)}: ${start}${start === words ? "" : "…"}`, true, isAlert);
	}

	async ended() {
		const {opened} = this;
		const choices = this.panel?.choices ?? 0;
		const wasFollowing = Boolean(this.connection?.stop);
		this.connection?.end();
		this.legal = null;
		this.listener.onEnd?.(this.newest);
		if (this.newest.view && this.live.record && !this.readonly) await this.timeline.openHands(true);
		this.draw();
		this.panel?.draw();
		if (!wasFollowing || this.readonly) return;
		this.endTimer = setTimeout(() => {
			// Who has chosen another page meanwhile keeps it.
			if (opened === this.opened && choices === (this.panel?.choices ?? 0)) this.complete().then(() => this.panel.showResult(false));
		}, RESULT);
	}

	/** Do what the player tapped or pressed. @param {Act} act */
	perform(act) {
		const {open} = act;
		if (open) return this.complete().then(aside => aside.open(open));
		if (act.run) return act.run();
		return act.isSent && this.bar.send() ? undefined : this.composing.perform(act); // the second click of two sends
	}

	/** Focus what the player needs first. */
	focusFirst() {
		const {bar, view, game} = this;
		const first = game?.view ? !view.own.hidden && view.hand : bar.confirm.firstElementChild;
		(first instanceof HTMLElement ? first : view.title).focus({preventScroll: true});
	}

	/** Send a request about the game, and say that it is done. @param {string} path  @param {object} body */
	async post(path, body, done = "") {
		try {
			await this.live.post(path, body, why => this.note(why));
			this.note("");
			await this.catchUp();
			if (done) this.note(done, true);
		} catch (error) {
			if (error.status === 412) await this.catchUp();
			this.note(error.status === 412 ? STALE : error, error.status === 412);
		}
	}
}
