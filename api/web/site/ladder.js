// @ts-check
// Who is best at a game, of the players of this server.

import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {known} from "../game/guests.js";
import {$, bdi, fill, h, text} from "../table/dom.js";
import {inLanguage, tn} from "../texts.js";
import {line, pointsOf} from "./game-list.js";

const me = account() ?? known();
const api = client();
const rows = $("rows");
const LATEST = 5;
/** @type {Map<string, string>} */
let names = new Map();
let next = "";
// How often the page was asked for rows, and for a player: only the last answer is shown.
let lists = 0, players = 0;

async function more() {
	const mine = ++lists;
	const {value: ruleset} = $("ruleset");
	const page = await api.json(`/v1/rulesets/${ruleset}/ladder?limit=50${next && `&cursor=${next}`}`);
	if (mine !== lists) return;
	for (const rated of page.items) {
		const isMine = rated.player.id === me?.player.id;
		rows.append(h(isMine ? "tr.mine" : "tr", {"aria-current": isMine && "true"},
			h("td", String(rows.children.length + 1)), h("th", {scope: "row"}, h("button.name", {onclick: () => show(rated.player).catch(failed)}, bdi(rated.player.name))), h("td", pointsOf(rated)), h("td", String(rated.games))));
	}
	next = page.next ?? "";
	$("more").hidden = !next;
	$("ladder").hidden = !rows.children.length;
	$("nobody").hidden = Boolean(rows.children.length);
}

/** Show a player: the latest public games, and the results against the reader. */
async function show(player) {
	const mine = ++players;
	const [games, both] = await Promise.all([
		api.json(`/v1/games?visibility=public&status=finished&sort=-finished_at&limit=${LATEST}&player=${player.id}`),
		me && me.player.id !== player.id ? client(me.token).json(`/v1/players/${me.player.id}/statistics?against=${player.id}`).catch(() => null) : null,
	]);
	if (mine !== players) return;
	fill($("whose"), bdi(player.name));
	text($("between"), both?.games ? tn("Against you: {n} game, of which you have won {won} and {name} {lost}.", "Against you: {n} games, of which you have won {won} and {name} {lost}.", both.games, {won: both.wins, name: player.name, lost: both.opponent.wins}) : "");
	fill($("latest"), ...games.items.map(game => line(game, names, player.id)));
	$("profile").hidden = false;
	$("whose").focus();
}

function choose() {
	players++;
	$("profile").hidden = true;
	rows.replaceChildren();
	next = "";
	history.replaceState(null, "", `#${$("ruleset").value}`);
	return more();
}

const failed = error => text($("trouble"), error.message);

async function begin() {
	const {items} = await api.json(`/v1/rulesets${inLanguage}`);
	names = new Map(items.map(({id, name}) => [id, name]));
	$("ruleset").append(...items.map(({id, name}) => h("option", {value: id}, name)));
	const wanted = location.hash.slice(1);
	if (items.some(({id}) => id === wanted)) $("ruleset").value = wanted;
	$("ruleset").addEventListener("change", () => choose().catch(failed));
	$("more").addEventListener("click", () => more().catch(failed));
	await choose();
}

begin().catch(failed);
