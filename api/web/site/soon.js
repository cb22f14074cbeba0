// @ts-check
// Loads what the reader may want next, one after the other, once this page has what it needs itself.

import {h} from "../table/dom.js";

export async function loadSoon() {
	for (const name of (document.body.dataset.soon ?? "").split(" ").filter(Boolean)) {
		const href = String(new URL(`../${name}`, import.meta.url));
		await new Promise(done => document.head.append(h("link", {rel: "prefetch", href, as: "script", crossorigin: true, onload: done, onerror: done})));
	}
}
