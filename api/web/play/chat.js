// @ts-check
// Talk after the end of a game, which is not in its log: a list that is asked for again, since no stream outlives the game.

import {bdi, h, talkForm} from "../table/dom.js";
import {nameOf} from "../model/model.js";
import {choose, chosen} from "../game/storage.js";
import {OFFLINE} from "../game/client.js";
import {t} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

export const JOIN = `${location.origin}/join#game=`; // how a link to a seat begins

const SOON = 3000; // milliseconds until the next request, while people talk
const LATE = 60_000; // when nobody has talked for long
const SLOWER = 1.3; // times as long after each answer without news

/** Whether people can talk: at a table with two of them, on the page of a real game.
 * @param {TableApp} app */
export function canTalk({live, newest, readonly}) {
	return Boolean(live.follow && newest.id && !readonly && newest.seats.filter(({player}) => player).length > 1);
}

/** What a message with a link to a seat offers.
 * @param {{text: string, player: {name: string, id?: string} | null}} message  @returns {import("../types.d.ts").Offer} */
export function offerOf({text, player}) {
	const given = new URLSearchParams(text.slice(text.indexOf("#") + 1));
	return {name: player?.name ?? "", player: player?.id, game: given.get("game") ?? "", seat: Number(given.get("seat")), invite: given.get("invite") ?? undefined};
}

export class Chat {
	/** @param {TableApp} app */
	constructor(app) {
		this.app = app;
		this.live = app.live;
		this.shown = 0; // messages
		this.isAgreed = false; // whether the next game has begun
		this.pause = SOON;
		this.said = Promise.resolve(true); // until what was said here before is posted
		this.list = h("div"); // in a box that begins at its end, where the news is
		this.box = h("div.messages", {role: "log", "aria-label": t("Talk after the game")}, this.list);
		const form = app.seat === undefined || !app.live.post ? null : talkForm(words => (this.said = this.said.then(() => this.say(words))));
		this.root = h("section.chat", h("h3", t("Talk after the game")), this.box, form);
		this.root.hidden = !form;
		this.ends = new AbortController();
		const {signal} = this.ends;
		document.addEventListener("visibilitychange", () => this.readNow(), {signal});
		addEventListener("online", () => this.readNow(), {signal});
		this.read();
	}

	/** Show who sits at the table of the new game already. @param {import("../types.d.ts").Offer} again */
	async agreed(again) {
		const {app} = this;
		if (app.newest.seats.filter(({player}) => player).length < 3) return; // whoever asks is all who can have agreed
		const {players} = await this.live.api.json(`/v1/games/${again.game}/invitation`, {method: "POST", body: {invite: again.invite}});
		const faces = app.newest.seats.flatMap(({player}) => (player && players.some(({name}) => name === player.name) ? [player.id] : []));
		if (app.again === again && faces.length > (again.faces?.length ?? 1)) app.offer({...again, faces});
	}

	/** Ask at once, and soon again: somebody has come back. */
	readNow() {
		this.pause = SOON;
		return this.read();
	}

	/** Ask for what was said, and again later, as long as somebody may see it. */
	async read() {
		clearTimeout(this.timer);
		const {signal} = this.ends;
		if (document.visibilityState !== "visible" || signal.aborted) return;
		let isNew = false;
		try {
			const {items: messages} = await this.live.request("/messages", {signal});
			isNew = this.show(messages);
		} catch (error) {
			if (error.status && error.status < 500 && error.status !== 429) return;
		}
		this.pause = isNew ? SOON : Math.min(LATE, this.pause * SLOWER);
		clearTimeout(this.timer); // of another request that has been answered meanwhile
		if (!signal.aborted) this.timer = setTimeout(() => this.read(), this.pause);
	}

	/** Show messages that are not shown yet; return whether there are any.
	 * @param {{number: number, seat: number | null, player: {name: string} | null, text: string}[]} messages */
	show(messages) {
		const {app} = this;
		const isMine = ({text}) => !text.startsWith(JOIN) || `${text}&`.includes(`&seat=${app.seat}&`); // each seat has an invite of its own
		const fresh = messages.filter(({number}) => number > this.shown).filter(isMine);
		this.shown = messages.length;
		const asking = fresh.find(({text, seat}) => text.startsWith(JOIN) && seat !== app.seat); // of several, all take the first
		if (asking && !app.again && app.seat !== undefined && !chosen(`again-after:${app.newest.id}`)) app.offer(offerOf(asking));
		if (app.again && !this.isAgreed) void this.agreed(app.again).catch(() => (this.isAgreed = true)); // its game has begun
		if (!fresh.length) return false;
		this.root.hidden = false;
		this.box.tabIndex = 0;
		const said = text => (text.startsWith(JOIN) ? t("Shall we play again?") : text);
		this.list.append(...fresh.map(({seat, player, text}) => h("p", h("strong", bdi(player?.name ?? nameOf(app.newest, seat))), " ", bdi(said(text)))));
		if (this.root.matches(":focus-within")) this.root.scrollIntoView({block: "end"});
		const known = `chat:${app.newest.id}`; // how many messages this device has shown
		const last = fresh[fresh.length - 1];
		const isNews = app.seat !== undefined && last.seat !== app.seat && last.number > Number(chosen(known));
		if (isNews && !this.root.getClientRects().length) app.showMessage({...last, text: said(last.text)}, true);
		choose(known, this.shown);
		return true;
	}

	/** @param {string} words */
	async say(words) {
		const {app, live} = this;
		try {
			await live.api.once(`${live.path}/messages`, {text: words, seat: app.seat}, {note: () => app.note(navigator.onLine === false ? OFFLINE : t("Connection lost. Trying again …")), signal: this.ends.signal});
			app.note("");
			await this.readNow();
			return true;
		} catch (error) {
			if (!this.ends.signal.aborted) app.note(error.status === 401 ? t("Your token is no longer valid.") : error.message);
			return false;
		}
	}

	end() {
		this.ends.abort();
		clearTimeout(this.timer);
		this.root.remove();
	}
}
