// @ts-check
// A player: ratings, results by game, results against others, and the latest games. One's own page counts all games; another
// player's shows what is public, and what both have played together.

import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {known} from "../game/guests.js";
import {portrait} from "../cards/portrait.js";
import {$, bdi, fill, h, text} from "../table/dom.js";
import {line} from "../site/game-list.js";
import {inLanguage, pieces, t} from "../texts.js";

const LATEST = 10;
const PEOPLE = 6; // against whom results are shown
const RATED = 200; // players of each ladder

const me = account() ?? known();
const id = location.hash.slice(1) || me?.player.id;
const isOwn = id === me?.player.id;
const [anybody, mine] = [client(), client(me?.token)];
/** @type {Map<string, string>} */
let names = new Map();

const nameOf = ruleset => h("a", {href: `/ladder#${ruleset}`}, names.get(ruleset) ?? ruleset);
const against = other => mine.json(`/v1/players/${me?.player.id}/statistics?against=${other}`);

/** The latest finished games. @param {typeof mine} api  @param {string} [which] */
async function finished(api, which = "") {
	return (await api.json(`/v1/games?status=finished&sort=-finished_at&limit=${LATEST}${which}`)).items;
}

/** A rating in words; the ladder has no rating of somebody who has not finished a game that counts. */
const ratingWords = rated => (rated ? [String(rated.rating), rated.provisional && h("small", ` ${t("provisional")}`)] : "–");

/** Fill a table, whose first cells name their rows; without rows it is hidden. */
function table(name, rows) {
	$(name).hidden = !rows.length;
	fill($(name).querySelector("tbody"), ...rows.map(([first, ...cells]) => h("tr", h("th", {scope: "row"}, first), ...cells.map(cell => h("td", ...[cell].flat().map(one => (typeof one === "number" ? String(one) : one)))))));
}

function list(name, games) {
	$(name).hidden = !games.length;
	fill($(name).querySelector("ul"), ...games.map(game => line(game, names, id)));
}

/** The people of some games but this player, each once. */
const peopleOf = games => [...new Map(games.flatMap(({seats}) => seats.flatMap(({player}) => (player && player.id !== id ? [[player.id, player]] : [])))).values()];

async function drawOwn() {
	const [all, ratings, games] = await Promise.all([mine.json(`/v1/players/${id}/statistics`), mine.json(`/v1/players/${id}/ratings`), finished(mine)]);
	const rated = new Map(ratings.items.map(one => [one.ruleset, one]));
	const rows = all.rulesets.map(one => [nameOf(one.ruleset), ratingWords(rated.get(one.ruleset)), one.games, one.wins, one.points]);
	if (rows.length > 1) rows.push([t("All games"), "", all.games, all.wins, all.points]);
	table("results", rows);
	list("latest", games);
	const people = peopleOf(games).slice(0, PEOPLE);
	const both = await Promise.all(people.map(one => against(one.id)));
	table("people", people.map((one, n) => [h("a", {href: `/player#${one.id}`}, bdi(one.name)), both[n].games, both[n].wins, both[n].opponent?.wins ?? 0]));
	return games.length ? "" : t("You have not finished a game yet.");
}

/** The rating of a player in a game, as its ladder shows it. */
async function ratingIn(ruleset) {
	const {items} = await anybody.json(`/v1/rulesets/${ruleset}/ladder?limit=${RATED}`);
	return items.find(({player}) => player.id === id);
}

async function drawOther() {
	const [open, together, both] = await Promise.all([finished(anybody, `&visibility=public&player=${id}`),
		...me ? [finished(mine, `&player=${id}`), against(id).catch(() => null)] : [[], null]]);
	const played = [...new Set([...open, ...together].map(({ruleset}) => ruleset))];
	const rated = (await Promise.all(played.map(ratingIn))).filter(Boolean);
	const {name = t("A player")} = [...open, ...together].flatMap(({seats}) => seats.map(({player}) => player)).find(player => player?.id === id) ?? rated[0]?.player ?? {};
	title(name);
	table("ratings", rated.map(one => [nameOf(one.ruleset), ratingWords(one), one.games]));
	table("between", (both?.games ? both.rulesets : []).map(({ruleset, games, wins, opponent}) => [nameOf(ruleset), games, wins, opponent?.wins ?? 0]));
	list("together", together);
	list("latest", open.filter(one => !together.some(other => other.id === one.id)));
	return open.length || together.length ? "" : t("No finished games that you may see.");
}

function title(name) {
	fill($("whose"), h("span.avatar", {"aria-hidden": "true"}, portrait(id, false)), " ", bdi(name));
	document.title = `${name} · Card Referee`;
}

async function begin() {
	addEventListener("hashchange", () => location.reload());
	if (!id) return text($("who"), t("You have not played on this device yet."));
	names = new Map((await anybody.json(`/v1/rulesets${inLanguage}`)).items.map(one => [one.id, one.name]));
	if (!isOwn) return text($("who"), await drawOther());
	title(me?.player.name);
	const note = await drawOwn();
	const link = h("a", {href: "/sign-in"}, t("Sign in"));
	return fill($("who"), note, note && " ", ...(account() || !("mails" in $("who").dataset) ? [] : pieces("You play as a guest of this device. {link} to keep your results.", {link})));
}

begin().catch(error => text($("trouble"), error.message));
