// @ts-check
// Loads the scripts of a table, which the reader opens next, once this page has what it needs itself.

import {h} from "../table/dom.js";

export function loadSoon() {
	for (const name of (document.body.dataset.soon ?? "").split(" ").filter(Boolean)) {
		const href = String(new URL(`../${name}`, import.meta.url));
		document.head.append(h("link", {rel: "prefetch", href, as: "script", crossorigin: true}));
	}
}
