// @ts-check
// The dispute report of a game that is over, fetched with the token of this tab.

import {client, gameHere, why} from "../game/client.js";
import {$, fill, h, saveAs, terms, text} from "../table/dom.js";
import {nameOf} from "../model/model.js";
import {facts} from "../table/panel.js";
import {tokenFor} from "../game/storage.js";
import {t} from "../texts.js";

const id = gameHere();
const api = client(tokenFor(id));

async function show(seat) {
	const response = await api.request(`/v1/games/${id}/dispute-report?seat=${seat}`, {accept: "text/html"});
	const written = await response.text();
	const bare = written.replace(/<style>[^]*?<\/style>/, ""); // ours is /web/dispute.css
	const main = new DOMParser().parseFromString(bare, "text/html").querySelector("main");
	for (const old of main?.querySelectorAll("h1, script") ?? []) old.remove();
	$("report").replaceChildren(...main?.childNodes ?? []);
	$("save").onclick = () => saveAs(written, `dispute-${id}.html`);
	$("save").hidden = false;
}

async function begin() {
	const game = await api.json(`/v1/games/${id}`);
	const [head] = await api.entries(id, game.version - 1, 1);
	fill($("facts"), ...terms([...facts(game), [t("Hash of the last entry"), h("code", head.hash)]]));
	const [mine = 0] = game.viewer.seats;
	fill($("seat"), ...game.seats.map((_, seat) => h("option", {value: seat, selected: seat === mine}, nameOf(game, seat))));
	$("back").href = `/table/${id}`;
	if (!["finished", "cancelled"].includes(game.status)) return text($("trouble"), t("The report is available after the match: until then the seed is secret."));
	$("choose").hidden = false;
	$("seat").addEventListener("change", () => report(show($("seat").value)));
	return show(mine);
}

function report(doing) {
	text($("trouble"), "");
	doing.catch(error => text($("trouble"), why(error)));
}

report(begin());
