// @ts-check
// Who is best at a game, of the players of this server.

import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {known} from "../game/guests.js";
import {$, bdi, h, text} from "../table/dom.js";
import {inLanguage} from "../texts.js";

const me = account() ?? known();
const api = client();
const rows = $("rows");
let next = "";
let lists = 0; // how often the page was asked for rows: only the last answer is shown

/** A player's points in a ladder, with a question mark while they are provisional. @param {{rating: number, provisional: boolean}} rated */
const pointsOf = ({rating, provisional}) => `${rating}${provisional ? "?" : ""}`;

async function more() {
	const mine = ++lists;
	const {value: ruleset} = $("ruleset");
	const page = await api.json(`/v1/rulesets/${ruleset}/ladder?limit=50${next && `&cursor=${next}`}`);
	if (mine !== lists) return;
	for (const rated of page.items) {
		const isMine = rated.player.id === me?.player.id;
		rows.append(h(isMine ? "tr.mine" : "tr", {"aria-current": isMine && "true"},
			h("td", String(rows.children.length + 1)), h("th", {scope: "row"}, h("a", {href: `/player#${rated.player.id}`}, bdi(rated.player.name))), h("td", pointsOf(rated)), h("td", String(rated.games))));
	}
	next = page.next ?? "";
	$("more").hidden = !next;
	$("ladder").hidden = !rows.children.length;
	$("nobody").hidden = Boolean(rows.children.length);
}

function choose() {
	rows.replaceChildren();
	next = "";
	history.replaceState(null, "", `#${$("ruleset").value}`);
	return more();
}

const failed = error => text($("trouble"), error.message);

async function begin() {
	const {items} = await api.json(`/v1/rulesets${inLanguage}`);
	$("ruleset").append(...items.map(({id, name}) => h("option", {value: id}, name)));
	const wanted = location.hash.slice(1);
	if (items.some(({id}) => id === wanted)) $("ruleset").value = wanted;
	$("ruleset").addEventListener("change", () => choose().catch(failed));
	$("more").addEventListener("click", () => more().catch(failed));
	await choose();
}

begin().catch(failed);
