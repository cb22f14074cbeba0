// @ts-check
// <card-referee-table src="(a server)" game="…">: a table in any page.
// `src` is the server, by default this script's. The property `token` (never an attribute) lets it play.
// `theme` is light or dark; with `fit` the height follows the width. It sends events, see /docs/embedding.

import {LiveGame, why} from "./game/client.js";
import {h} from "./table/dom.js";
import {TableApp} from "./table/app.js";
import {speaker} from "./table/speaking.js";

const TROUBLE = ["error", "token-expired"];
const {origin} = new URL(import.meta.url);

export class CardRefereeTable extends HTMLElement {
	static observedAttributes = ["game", "src"];
	#token = "";
	/** @type {TableApp | null} */
	#app = null;
	#opened = 0;
	/** @type {HTMLElement} */
	#frame = h("div.frame");

	get token() {
		return this.#token;
	}

	set token(value) {
		this.#token = value ?? "";
		this.#open();
	}

	connectedCallback() {
		const root = this.shadowRoot ?? this.attachShadow({mode: "open"});
		if (!root.firstChild) {
			const [host, frame] = ["host", "table"].map(name => h("link", {rel: "stylesheet", href: new URL(`styles/${name}.css`, import.meta.url).href}));
			root.append(host, frame, this.#frame);
		}
		if (Object.hasOwn(this, "token")) { // set before this module was there
			this.#token = this.token ?? "";
			Reflect.deleteProperty(this, "token");
		}
		this.#open();
	}

	disconnectedCallback() {
		this.#close();
	}

	attributeChangedCallback() {
		this.#open();
	}

	#close() {
		this.#opened += 1;
		this.#app?.close();
		this.#app = null;
	}

	async #open() {
		this.#close();
		const opened = this.#opened;
		await null; // what is set together is loaded once
		if (opened !== this.#opened || !this.isConnected) return;
		this.#frame.replaceChildren();
		const game = this.getAttribute("game");
		if (!game) return;
		const server = new URL(this.getAttribute("src") ?? origin, location.href).origin;
		const say = (name, detail) => {
			if (opened === this.#opened) this.dispatchEvent(new CustomEvent(`card-referee-${name}`, {detail: {game, ...detail}}));
		};
		/** @type {[string, object][] | null} */
		let early = []; // what happened before the table was ready, which is said first
		const listener = speaker((name, detail) => (early && !TROUBLE.includes(name) ? early.push([name, detail]) : say(name, detail)));
		const app = this.#app = new TableApp(this.#frame, {readonly: !this.#token, listener});
		try {
			const isOpen = await app.open(new LiveGame(game, this.#token, () => import("./game/following.js"), server === location.origin ? "" : server));
			if (isOpen) say("ready", {version: app.newest.version, status: app.newest.status, seat: app.seat ?? null});
			const held = early;
			early = null;
			for (const [name, detail] of held) say(name, detail);
		} catch (error) {
			listener.onTrouble?.(error.status, why(error));
			app.close();
			this.#frame.replaceChildren(h("p.nothing", {role: "alert"}, why(error)));
		}
	}
}

customElements.define("card-referee-table", CardRefereeTable);
