// @ts-check
// Elements, and lists that keep theirs (and so the focus) when drawn again.

import {t} from "../texts.js";

/** @import {Control} from "../types.d.ts" */

export const TRICK = 1500; // milliseconds that a completed trick stays
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const shown = children => children.flat().filter(child => child != null && child !== false);

/** Make an element, "tag.class.class", with attributes (see `change`) where the first of the rest is a plain object, and
 * children, which may be null; a button submits no form unless it says so.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K | `${K}.${string}`} kind
 * @param {...any} rest
 * @returns {HTMLElementTagNameMap[K]} */
export function h(kind, ...rest) {
	const [tag, ...classes] = kind.split(".");
	/** @type {any} */
	const made = document.createElement(tag);
	if (tag === "button") made.type = tag;
	made.classList.add(...classes);
	if (rest[0]?.constructor === Object) change(made, rest.shift());
	made.append(...shown(rest));
	return made;
}

/** The element of the page with an id. @param {string} id */
export const $ = id => /** @type {Control} */ (document.getElementById(id));

/** Set attributes: true is an empty one, false and null take it away; `on…` are listeners, `style` sets CSS variables. */
export function change(element, attributes) {
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith("on")) element[name] = value;
		else if (name === "style") for (const [variable, set] of Object.entries(value)) element.style.setProperty(variable, set);
		else if (value === false || value == null) element.removeAttribute(name);
		else if (element.getAttribute(name) !== String(value === true ? "" : value)) {
			element.setAttribute(name, value === true ? "" : value);
		}
	}
	return element;
}

/** Set the text of an element if it differs: screen readers read it once.
 * @param {HTMLElement} element  @param {string} words */
export function text(element, words) {
	if (element.textContent !== words) element.textContent = words;
}

/** Show `items` in `parent`: elements are kept by their keys, made by `make`, changed by `update`. */
export function patch(parent, items, keyOf, make, update = (_element, _item) => {}) {
	const old = new Map([...parent.children].map(child => [child.dataset.key, child]));
	const keys = new Set(items.map(keyOf));
	for (const [key, element] of old) if (!keys.has(key)) element.remove(); // first: what stays is not moved, which would lose a click on it
	let before = parent.firstElementChild;
	for (const item of items) {
		const key = keyOf(item);
		let element = old.get(key);
		if (element) old.delete(key);
		else {
			element = make(item);
			element.dataset.key = key;
		}
		update(element, item);
		if (element === before) before = before.nextElementSibling;
		else parent.insertBefore(element, before);
	}
}

/** The one of `all` that the key `back` or `on` selects.
 * @param {any} on */
export function neighbour(event, all, back, on) {
	const at = all.indexOf(event.target);
	const step = {[back]: -1, [on]: 1}[event.key];
	if (!step || at < 0) return null;
	event.preventDefault();
	return all[(at + step + all.length) % all.length];
}

/** Replace the content if it differs. */
export function fill(parent, ...children) {
	const fresh = document.createElement(parent.tagName);
	fresh.append(...shown(children));
	const same = fresh.childNodes.length === parent.childNodes.length
		&& [...fresh.childNodes].every((child, i) => child.isEqualNode(parent.childNodes[i]));
	if (!same) parent.replaceChildren(...fresh.childNodes);
}

/** A user's text, such as a name, isolated from the text direction around it. */
export const bdi = written => h("bdi", written);

export const terms = rows => rows.flatMap(([name, content]) => [h("dt", name), h("dd", ...[content].flat(2))]);

/** Load a style sheet of ours, and put it before an element.
 * @param {string} name  @param {Element} element */
export function style(name, element) {
	return new Promise((done, failed) => {
		const link = h("link", {rel: "stylesheet", href: new URL(`../styles/${name}.css`, import.meta.url).href, onload: done, onerror: () => {
			link.remove();
			failed(new Error(name));
		}});
		element.before(link);
	});
}

/** Open a dialog; resolves with the value of the button that closed it, "" for none. */
export function ask(root, title, children, buttons = [["", t("Close")]]) {
	const opener = root.getRootNode().activeElement;
	const choices = buttons.map(([value, label, kind = value ? "send" : "clear"]) => h("button", {value, class: kind}, label));
	const heading = h("h2", {id: "dialog-title", tabindex: "-1"}, title);
	const dialog = h("dialog", {"aria-labelledby": "dialog-title"}, heading, h("div.inside", ...children), h("div.choices", ...choices));
	root.append(dialog);
	dialog.showModal();
	/** @type {HTMLElement} */ (dialog.querySelector(".inside :is(input, select, textarea)") ?? (choices[1] ? choices[0] : heading)).focus();
	return new Promise(done => {
		for (const choice of choices) choice.onclick = () => dialog.close(choice.value);
		dialog.onclick = event => event.target === dialog && dialog.close();
		dialog.onclose = () => {
			dialog.remove();
			opener?.focus?.();
			done(dialog.returnValue);
		};
	});
}

/** A line to say something in; what could not be said (false) stays.
 * @param {(words: string) => Promise<unknown>} say */
export function talkForm(say) {
	const input = h("input", {type: "text", maxlength: 2000, "aria-label": t("Say something to everyone who sees the game"), placeholder: t("Say something"), autocomplete: "off", dir: "auto"});
	return h("form.talking", {onsubmit: async event => {
		event.preventDefault();
		const words = input.value;
		input.value = "";
		if (words.trim() && await say(words) === false) input.value ||= words;
	}}, input, h("button", {type: "submit"}, t("Say")));
}

/** Save something as a file: a plain link could not send a token.
 * @param {any} content  @param {string} name */
export function saveAs(content, name) {
	const link = h("a", {href: URL.createObjectURL(new Blob([content])), download: name});
	link.click();
	URL.revokeObjectURL(link.href);
}
