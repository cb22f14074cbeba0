// A dialog over the table: a title, whatever stands in it, and buttons.

import {h} from "./dom.js";

/** Open a dialog; resolves with the value of the button that closed it, "" for none. */
export function ask(root, title, children, buttons = [["", "Close"]]) {
	const opener = root.getRootNode().activeElement;
	const choices = buttons.map(([value, label]) => h("button", {value, class: value ? "send" : "clear"}, label));
	const heading = h("h2", {id: "dialog-title"}, title);
	const dialog = h("dialog", {"aria-labelledby": "dialog-title"}, heading, h("div.inside", ...children), h("div.choices", ...choices));
	root.append(dialog);
	dialog.showModal();
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
