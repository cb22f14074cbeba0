// <card-referee-table src="(a server)" game="…">: a table in any page.
// `src` is the server, by default this script's. The property `token` (never an attribute) lets it play.

import {TableApp} from "./table/app.js";
import {why} from "./game/client.js";
import {h} from "./table/dom.js";
import {LiveGame} from "./game/live.js";

const {origin} = new URL(import.meta.url);

export class CardRefereeTable extends HTMLElement {
	static observedAttributes = ["game", "src"];
	#token = "";
	#app = null;
	#opened = 0;

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
			this.frame = h("div.frame");
			root.append(host, frame, this.frame);
		}
		if (Object.hasOwn(this, "token")) { // set before this module was there
			this.#token = this.token ?? "";
			delete this.token;
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
		this.frame.replaceChildren();
		const game = this.getAttribute("game");
		if (!game) return;
		const server = new URL(this.getAttribute("src") ?? origin, location.href).origin;
		const app = this.#app = new TableApp(this.frame, {
			readonly: !this.#token, onEnd: ({result}) => this.dispatchEvent(new CustomEvent("card-referee-end", {detail: {game, result}})),
		});
		try {
			const isOpen = await app.open(new LiveGame(game, this.#token, server === location.origin ? "" : server));
			if (isOpen) this.dispatchEvent(new CustomEvent("card-referee-ready", {detail: {game}}));
		} catch (error) {
			app.close();
			this.frame.replaceChildren(h("p.nothing", {role: "alert"}, why(error)));
		}
	}
}

customElements.define("card-referee-table", CardRefereeTable);
