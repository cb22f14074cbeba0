// @ts-check
// Which version of a game is on the table: the newest one, or an earlier one that somebody looks at.

import {entriesAround} from "./client.js";

/** @import {Entry} from "../types.d.ts" */
/** @import {RecordedGame} from "./recorded.js" */

const RECENT = 80; // entries

export class Timeline {
	/** @param {import("../table/app.js").TableApp} app */
	constructor(app) {
		this.app = app;
		/** @type {Map<number, Entry>} */
		this.entries = new Map();
		this.wanted = 0;
		this.isFollowing = true;
		/** @type {RecordedGame | null} */
		this.recorded = null;
		this.hasOpenHands = false;
	}

	begin() {
		this.entries = new Map();
		this.recorded = null;
		this.hasOpenHands = false;
	}

	/** Show a version; while one is loading, the last one asked for is next. @param {number} version */
	async goTo(version) {
		const {app} = this;
		this.wanted = Math.max(1, Math.min(version, app.newest.version));
		this.isFollowing = this.wanted === app.newest.version;
		app.replay.draw(this.wanted, app.newest.version);
		if (this.isGoing) return;
		this.isGoing = true;
		try {
			while (app.version !== this.wanted) await this.show(this.wanted);
		} catch (error) {
			app.replay.pause();
			app.note(error.message);
		} finally {
			this.isGoing = false;
		}
		if (this.isFollowing) app.ask();
	}

	/** Load a version with the entries before it, and put it on the table unless another one is wanted by then.
	 * @param {number} version */
	async show(version) {
		this.wanted = version;
		const {app, entries} = this;
		const {opened, live, newest} = app;
		const lacks = !entries.has(version) || !entries.has(Math.max(1, version - 20));
		const source = this.hasOpenHands && this.recorded ? this.recorded : live;
		const [game, loaded] = await Promise.all([source.at(version), lacks ? live.entries(...entriesAround(version)) : []]);
		if (opened !== app.opened) return;
		for (const entry of loaded) entries.set(entry.seq, entry);
		if (this.wanted !== version) return;
		app.put(source === live ? game : {...newest, ...game, id: newest.id, viewer: {...newest.viewer, whole: true}});
	}

	/** Show all hands of a finished game, or only what the viewer saw. @param {boolean} isWanted */
	async openHands(isWanted) {
		const {live} = this.app;
		if (isWanted && !this.recorded) {
			try {
				const {RecordedGame: Recorded} = await import("./recorded.js");
				const recorded = new Recorded(await live.record(), live.api.origin);
				await recorded.begin();
				this.recorded = recorded;
			} catch {
				return; // cards stay as seen before
			}
		}
		this.hasOpenHands = isWanted;
		await this.show(this.wanted);
	}

	/** All loaded entries, in order. */
	known() {
		return [...this.entries.values()].sort((one, other) => one.seq - other.seq);
	}

	/** The entries that lead to the version shown. */
	recent() {
		const {version} = this.app;
		const found = [];
		for (let seq = version; seq > version - RECENT; seq--) {
			const entry = this.entries.get(seq);
			if (!entry) break;
			found.push(entry);
		}
		return found.reverse();
	}
}
