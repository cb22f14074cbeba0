// @ts-check
// Texts in the reader's language. The code contains them in English; catalogues of the server have the others.

const LANGUAGES = ["en", "de", "es", "pt"];

/** The language of this page; on other sites the one that the table or the page around it names. */
export const language = LANGUAGES.find(each => wanted().toLowerCase().startsWith(each)) ?? "en";

/** The reader's own variety of it, for dates and numbers. */
export const locale = globalThis.navigator?.languages?.find(each => each.startsWith(language)) ?? language;

const catalogue = language === "en" ? {} : await load();

function wanted() {
	if (!globalThis.document) return "en"; // a worker
	/** @type {HTMLElement | null} */
	const table = document.querySelector("card-referee-table[lang]");
	return table?.lang || document.documentElement.lang || navigator.language;
}

async function load() {
	try {
		const response = await fetch(new URL(`messages/${language}.json`, import.meta.url));
		return response.ok ? await response.json() : {};
	} catch {
		return {}; // English is better than no table
	}
}

/** A text, with the values of its {names}. */
export function t(text, values = {}) {
	return fill(catalogue[text] ?? text, values).join("");
}

/** A text whose {names} get their values later. */
export const mark = text => catalogue[text] ?? text;

/** A text for one, or for another number, which is its {n}. */
export function tn(one, many, n, values = {}) {
	const forms = catalogue[one] ?? [one, many];
	return fill(forms[n === 1 ? 0 : 1], {n, ...values}).join("");
}

/** The pieces of a text, whose values are more than texts: names, cards, nodes. */
export function pieces(text, values) {
	return fill(catalogue[text] ?? text, values);
}

function fill(text, values) {
	return text.split(/\{(\w+)\}/).flatMap((piece, i) => (i % 2 ? values[piece] : piece ? [piece] : []));
}
