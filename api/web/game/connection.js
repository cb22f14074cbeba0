// @ts-check
// Keeps the table up to date: follows the log, says when the connection is lost, and catches up when it is back.

import {OFFLINE} from "./client.js";
import {isStill, TRICK} from "../table/dom.js";
import {isOver, textOf} from "../model/model.js";
import {t} from "../texts.js";

/** @import {Entry} from "../types.d.ts" */

const CATCH_UP = 8; // versions shown one by one; if farther behind, only the newest
const STEP = 550; // milliseconds
const RETRY = 2000;

export class Connection {
	/** @param {import("../table/app.js").TableApp} app */
	constructor(app) {
		this.app = app;
		this.isLost = this.isInterrupted = false;
		this.shownAt = 0; // when the newest version came on the table
		/** @type {(() => void) | null} */
		this.stop = null;
		/** @type {Promise<void> | null} */
		this.catchingUp = null;
	}

	/** Follow the newest game until it is over. */
	begin() {
		const {app} = this;
		if (!app.live.follow || isOver(app.newest)) return;
		this.watchDevice();
		if (navigator.onLine === false) this.interrupted(OFFLINE);
		this.stop = app.live.follow(app.newest.version, {
			take: entry => this.take(entry), note: words => this.interrupted(t(words)), ended: status => status && this.refused(status),
		});
	}

	end() {
		this.stop?.();
		this.stop = null;
		this.device?.abort();
		clearTimeout(this.retry);
	}

	/** Say at once when the device is offline, and catch up as soon as it is back. */
	watchDevice() {
		this.device?.abort();
		this.device = new AbortController();
		const {signal} = this.device;
		addEventListener("focus", () => this.app.readOrders(), {signal});
		addEventListener("offline", () => this.interrupted(OFFLINE), {signal});
		document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.app.readOrders(), {signal}); // another device may have changed them
		addEventListener("online", () => {
			this.interrupted("");
			this.catchUp();
		}, {signal});
	}

	/** Say that nothing arrives, or with "" that it does again. @param {string} words */
	interrupted(words) {
		if (!words && navigator.onLine === false) return; // what arrives had been sent before
		if (words || this.isInterrupted) this.app.note(words);
		this.isInterrupted = Boolean(words);
	}

	/** Say why a request failed; one that may succeed later is repeated.
	 * @param {Error & {status?: number}} error */
	failed(error) {
		const {app} = this;
		app.listener.onTrouble?.(error.status, error.message);
		if (error.status && error.status < 500) return app.note(error);
		this.isLost = true;
		app.note(navigator.onLine === false ? OFFLINE : t("Connection lost. Trying again …"));
		clearTimeout(this.retry);
		this.retry = setTimeout(() => this.stop && this.catchUp(), RETRY);
		return undefined;
	}

	/** Say that the log can no longer be followed. @param {number} status */
	refused(status) {
		this.app.listener.onTrouble?.(status);
		this.app.note(status === 401 ? t("Your token is no longer valid: reload the page to watch.") : t("The server no longer sends this game: reload the page."));
	}

	/** Take an entry that has just come, and tell a message that is out of sight. @param {Entry} entry */
	take(entry) {
		const {app, app: {timeline, newest}} = this;
		app.listener.onEntry?.(entry);
		timeline.entries.set(entry.seq, entry);
		if (entry.seat !== app.seat) {
			if (app.isPassing) app.note("");
			app.panel?.countNew(entry); // or when it comes
			const hasBubble = app.aside && app.following && entry.seat != null;
			if (entry.type === "said" && !hasBubble && !app.panel?.isLogSeen) app.showMessage({seat: entry.seat, text: textOf(entry)});
		}
		if (entry.seq > newest.version) this.catchUp();
	}

	/** Show all versions up to the newest, one by one if they are few; who asks meanwhile waits for the same. */
	catchUp() {
		return (this.catchingUp ??= this.showAll());
	}

	async showAll() {
		const {app} = this;
		try {
			do await this.showNew();
			while (Math.max(...app.timeline.entries.keys()) > app.newest.version);
			if (this.isLost) app.note("");
			this.isLost = false;
		} catch (error) {
			this.failed(error);
		} finally {
			this.catchingUp = null;
		}
		if (isOver(app.newest)) await app.ended();
		else app.ask();
	}

	async showNew() {
		const {app} = this;
		const {timeline} = app;
		const before = app.newest.version;
		const wasDue = app.newest.to_act.includes(app.seat ?? -1);
		const hasActed = () => timeline.known().some(({seq, seat}) => seq > before && seat === app.seat);
		app.newest = await app.live.refresh?.() ?? app.newest;
		app.composing.says = null;
		const {version: newest} = app.newest;
		if (!timeline.isFollowing) {
			app.replay?.draw(timeline.wanted, newest);
			app.aside?.drawLog();
			return;
		}
		const isSlow = newest - before <= CATCH_UP && !isStill() && (!wasDue || hasActed()); // who may act now does not wait until the others are shown
		const rest = app.overlay && !isStill() && !wasDue ? TRICK - (Date.now() - this.shownAt) : 0; // of a complete trick
		if (rest > 0) await new Promise(done => setTimeout(done, rest));
		for (let version = before + 1; isSlow && version < newest && timeline.isFollowing; version++) {
			await timeline.show(version);
			await new Promise(done => setTimeout(done, app.overlay ? TRICK : STEP));
		}
		if (timeline.isFollowing) await timeline.show(newest);
		this.shownAt = Date.now();
	}
}
