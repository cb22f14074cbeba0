// @ts-check
// A record from a file: replayed and verified here, stored nowhere.

import {TableApp} from "../table/app.js";
import {$, text} from "../table/dom.js";
import {RecordedGame} from "../game/recorded.js";
import {readStrictly} from "../verify/shapes.js";

let app = null;

async function show(content, name) {
	text($("trouble"), "");
	try {
		const recorded = new RecordedGame(readStrictly(content));
		$("open").hidden = true;
		$("table").hidden = $("shown").hidden = false;
		document.body.classList.add("full");
		app ??= new TableApp($("table"), {isPage: true});
		app.extras = () => [["Open another record", again]];
		await app.open(recorded, 1);
		document.title = `${app.ruleset.name} · ${name}`;
		return true;
	} catch (error) {
		again();
		text($("trouble"), error instanceof SyntaxError ? "This file is not JSON." : error.message);
		return false;
	}
}

function again() {
	$("open").hidden = false;
	$("table").hidden = $("shown").hidden = true;
	document.body.classList.remove("full");
}

/** @param {FileList | null | undefined} files */
async function take(files) {
	const file = files?.[0];
	if (file) await show(await file.text(), file.name);
}
$("file").addEventListener("change", () => take($("file").files));
addEventListener("dragover", event => event.preventDefault());
addEventListener("drop", event => {
	event.preventDefault();
	take(event.dataTransfer?.files);
});
async function sample() {
	if (location.hash !== "#sample") return;
	const isShown = await show(await (await fetch("/web/sample.json")).text(), "a recorded match");
	if (isShown) await app.replay.play();
}
addEventListener("hashchange", sample);
sample();
