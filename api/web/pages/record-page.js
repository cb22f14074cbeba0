// @ts-check
// A record from a file: replayed and verified here, stored nowhere.

import {TableApp} from "../table/app.js";
import {$, text} from "../table/dom.js";
import {later} from "../game/client.js";
import {RecordedGame} from "../game/recorded.js";
import {readStrictly} from "../verify/shapes.js";
import {t} from "../texts.js";

let app = null;

async function show(content, name, isPlayed = false) {
	text($("trouble"), "");
	text($("verdict"), "");
	$("checks").replaceChildren();
	let recorded = null;
	try {
		recorded = new RecordedGame(readStrictly(content));
		$("open").hidden = true;
		$("table").hidden = $("shown").hidden = false;
		document.body.classList.add("full");
		app ??= new TableApp($("table"), {isPage: true});
		app.extras = () => [["leave", t("Open another record"), again]];
		await app.open(recorded, isPlayed ? recorded.log.findIndex(({type}) => type === "started") + 1 : 1);
		document.title = `${app.ruleset.name} · ${name}`;
		return true;
	} catch (error) {
		again();
		text($("trouble"), error instanceof SyntaxError ? t("This file is not JSON.") : error.message);
		if (recorded?.record.entries) await check(recorded);
		return false;
	}
}

/** Name what is wrong in a record that cannot be replayed: a changed seed, for example, lets the first move fail.
 * @param {RecordedGame} recorded */
async function check(recorded) {
	const {verifyHere} = await later(() => import("../verify/checks.js"), words => text($("trouble"), words));
	await verifyHere(recorded, new Map(), {button: $("file"), verdict: $("verdict"), list: $("checks")});
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
	const isShown = await show(await (await fetch("/web/sample.json")).text(), t("a recorded match"), true);
	if (!isShown) return;
	await app.complete();
	await app.replay.play();
}
addEventListener("hashchange", sample);
sample();
