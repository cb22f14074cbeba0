// @ts-check
// Texts in the reader's language. The code contains them in English; catalogues of the server have the others.

const LANGUAGES = ["en", "de", "es", "pt"];

/** The language of this page; on other sites the one that the table or the page around it names. */
export const language = LANGUAGES.find(each => wanted().toLowerCase().startsWith(each)) ?? "en";

/** The query that asks for the words of games in this language. */
export const inLanguage = language === "en" ? "" : `?language=${language}`;

/** The reader's own variety of it, for dates and numbers. */
export const locale = globalThis.navigator?.languages?.find(each => each.startsWith(language)) ?? language;

/** @type {Record<string, any>} */
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

/** A text, with the values of its {names}.
 * @param {string} text  @param {Record<string, any>} [values] */
export function t(text, values = {}) {
	return fill(catalogue[text] ?? text, values).join("");
}

/** A text whose {names} get their values later.
 * @param {string} text  @returns {string} */
export const mark = text => catalogue[text] ?? text;

/** A text for one, or for another number, which is its {n}.
 * @param {string} one  @param {string} many  @param {number} n  @param {Record<string, any>} [values] */
export function tn(one, many, n, values = {}) {
	const forms = catalogue[one] ?? [one, many];
	return fill(forms[n === 1 ? 0 : 1], {n, ...values}).join("");
}

/** The pieces of a text, whose values are more than texts: parts of a sentence, or nodes.
 * @param {string} text  @param {Record<string, any>} values  @returns {any[]} */
export function pieces(text, values) {
	return fill(catalogue[text] ?? text, values);
}

/** @type {Record<string, string>} */
const words = {};

/** Take the words of a game in the reader's language, by their English.
 * @param {Record<string, string>} [more] */
export function learn(more = {}) {
	Object.assign(words, more);
}

/** A word of a game in the reader's language, or in English if its ruleset has no other.
 * @param {string} word */
export const inGame = word => words[word] ?? word;

/** @param {string} text  @param {Record<string, any>} values */
function fill(text, values) {
	return text.split(/\{(\w+)\}/).flatMap((piece, i) => (i % 2 ? values[piece] : piece ? [piece] : []));
}
