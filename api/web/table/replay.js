// @ts-check
// Steps through the versions of a game.

import {change, h, text} from "./dom.js";
import {isOver} from "../model/model.js";
import {t} from "../texts.js";

const STEP = 900;

export class Replay {
	constructor(go, app) {
		this.app = app;
		const button = (name, label, sign, to) => h("button", {class: `step ${name}`, "aria-label": label, title: label,
			onclick: () => {
				this.pause();
				go(to());
			}}, sign);
		this.first = button("first", t("To the beginning"), "«", () => 1);
		this.back = button("back", t("One step back"), "‹", () => app.timeline.wanted - 1);
		this.forward = button("forward", t("One step forward"), "›", () => app.timeline.wanted + 1);
		this.last = button("last", t("To the end"), "»", () => app.newest.version);
		this.playing = h("button.step.playing", {"aria-label": t("Replay from here"), "aria-pressed": "false",
			onclick: () => (this.timer ? this.pause() : this.play())}, "▶");
		this.slider = h("input", {type: "range", min: 1, max: 1, "aria-label": t("Version"), oninput: () => {
			this.pause();
			go(Number(this.slider.value));
		}});
		this.where = h("output.where");
		this.root = h("div.replay", {role: "group", "aria-label": t("Replay")},
			this.first, this.back, this.playing, this.forward, this.last, this.slider, this.where);
	}

	/** @param {number} version */
	draw(version, newest) {
		const {following, seat, readonly, newest: game, live, frame, connecting} = this.app;
		const isOld = live.log || (isOver(game) && !connecting);
		frame.classList.toggle("replaying", Boolean(isOld || !following)); // open hands have room of their own
		this.root.hidden = following && seat !== undefined && !readonly && !isOver(game); // who plays has no use for it
		this.slider.max = String(newest);
		this.slider.value = String(version);
		change(this.slider, {"aria-valuetext": t("version {version} of {newest}", {version, newest})});
		text(this.where, `${version}/${newest}`);
		this.first.disabled = this.back.disabled = version <= 1;
		this.forward.disabled = this.last.disabled = version >= newest;
	}

	pause() {
		clearTimeout(this.timer);
		this.timer = 0;
		text(this.playing, "▶");
		change(this.playing, {"aria-pressed": "false", "aria-label": t("Replay from here")});
	}

	/** The version in which the cards are dealt. */
	get deal() {
		const {timeline, live} = this.app;
		const log = timeline.recorded?.log ?? live.log ?? timeline.known();
		return log.find(({type}) => type === "started")?.seq ?? 1;
	}

	async play(isWhole = false) {
		text(this.playing, "❚❚");
		change(this.playing, {"aria-pressed": "true", "aria-label": t("Pause")});
		this.timer = 1;
		if (isWhole || this.app.version >= this.app.newest.version) await this.app.goTo(this.deal);
		const step = async () => {
			await this.app.goTo(this.app.version + 1);
			if (this.app.following) this.pause();
			else if (this.timer) this.timer = setTimeout(step, STEP);
		};
		this.timer = setTimeout(step, STEP);
	}
}
