// A record from a file: replayed and verified here, stored nowhere.

import {TableApp} from "../table/app.js";
import {$, text} from "../table/dom.js";
import {RecordedGame} from "../game/recorded.js";

let app = null;

async function show(content, name) {
	text($("trouble"), "");
	try {
		const record = JSON.parse(content);
		if (record?.format !== "card-referee/1") throw new Error("This is not a game record: its format is not card-referee/1.");
		$("open").hidden = true;
		$("table").hidden = $("shown").hidden = false;
		document.body.classList.add("full");
		app ??= new TableApp($("table"), {isPage: true});
		app.extras = () => [["Open another record", again]];
		await app.open(new RecordedGame(record), 1);
		document.title = `${app.ruleset.name} · ${name}`;
	} catch (error) {
		again();
		text($("trouble"), error instanceof SyntaxError ? "This file is not JSON." : error.message);
	}
}

function again() {
	$("open").hidden = false;
	$("table").hidden = $("shown").hidden = true;
	document.body.classList.remove("full");
}

$("file").addEventListener("change", async ({target}) => {
	const [file] = target.files;
	if (file) await show(await file.text(), file.name);
});
addEventListener("dragover", event => event.preventDefault());
addEventListener("drop", async event => {
	event.preventDefault();
	const [file] = event.dataTransfer.files;
	if (file) await show(await file.text(), file.name);
});
async function sample() {
	if (location.hash === "#sample") await show(await (await fetch("/web/sample.json")).text(), "a recorded match");
}
addEventListener("hashchange", sample);
sample();
