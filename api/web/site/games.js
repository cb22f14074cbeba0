// @ts-check
// My games: those that wait for me, those that wait for others, and finished ones; live while the page is open. Without an
// account, those of this device.

import {account, signedOut} from "../game/account.js";
import {client, pause} from "../game/client.js";
import {keepToken} from "../game/storage.js";
import {events} from "../game/feed.js";
import {$, bdi, fill, h, patch, text} from "../table/dom.js";
import {forgetGuest, known} from "../game/guests.js";
import {ofDevice} from "./device.js";
import {grouped, line} from "./game-list.js";
import {paceSentence} from "./pace-words.js";
import {inLanguage, pieces, t} from "../texts.js";

const FINISHED = 20;
const me = account() ?? known();
const api = client(me?.token);
let names = new Map();
let next = null;
const finished = [];

function show(section, games) {
	$(section).hidden = !games.length;
	patch($(section).querySelector("ul"), games, ([game]) => `${game.id} ${game.version}`, ([game, player]) => line(game, names, player));
}

async function draw() {
	const games = await found();
	const {turns, waiting, open} = grouped(games);
	show("turns", turns);
	show("waiting", waiting);
	show("open", open);
	text($("turns-title"), turns.length > 1 ? t("Your turn in {n} games", {n: turns.length}) : t("Your turn"));
	document.title = `${turns.length ? `(${turns.length}) ` : ""}${t("My games")} · Card Referee`;
	if (!games.length && account()) text($("who"), t("You have no games at the moment."));
}

/** The games that are not over, each with the id of its player. */
async function found() {
	if (!account()) return ofDevice();
	const {items} = await api.json("/v1/games?status=running,open&limit=200");
	return items.map(game => [game, me.player.id]);
}

async function drawInvitations() {
	const {items} = await api.json("/v1/me/invitations");
	$("invitations").hidden = !items.length;
	patch($("invitations").querySelector("ul"), items, ({seat, game}) => `${game.id}/${seat}`, ({seat, game}) => {
		const shown = line(game, names, me.player.id);
		shown.append(h("div.row",
			h("button.big", {onclick: () => answer(() => accept(game, seat))}, t("Accept")),
			h("button", {onclick: () => answer(() => api.json(`/v1/me/invitations/${game.id}`, {method: "DELETE"}))}, t("Decline"))));
		if (game.pace) shown.querySelector("a")?.append(h("span.people", paceSentence(game.pace)));
		return shown;
	});
}

async function accept(game, seat) {
	await api.json(`/v1/games/${game.id}/seats/${seat}`, {method: "PUT", body: {}});
	if (!account()) keepToken(game.id, me.token, true);
	location.assign(`/table/${game.id}`);
}

async function answer(action) {
	await action().then(drawInvitations).catch(error => text($("trouble"), error.message));
}

async function drawFinished() {
	if (!account()) return show("finished", await ofDevice({over: true}));
	const more = next ? `&cursor=${encodeURIComponent(next)}` : "";
	const page = await api.json(`/v1/games?status=finished,cancelled&sort=-finished_at&limit=${FINISHED}${more}`);
	finished.push(...page.items.map(game => [game, me.player.id]));
	({next} = page);
	$("more").hidden = !next;
	return show("finished", finished);
}

/** Draw again whenever the inbox changes. */
async function follow() {
	for (let wait = 1; ; wait = Math.min(2 * wait, 30)) {
		try {
			const {body} = await api.request("/v1/me/turns", {accept: "text/event-stream"});
			for await (const _ of events(body)) {
				wait = 1;
				await Promise.all([draw(), drawInvitations()]);
			}
		} catch (error) {
			if (error.status === 401) return left();
		}
		await pause(wait);
	}
}

function left() {
	if (account()) signedOut();
	else forgetGuest();
	location.reload();
}

function strangers() {
	fill($("who"), ...(me ? [...pieces("On this device you play as {name}, a guest.", {name: bdi(me.player.name)}), " "] : []),
		...("mails" in $("who").dataset ? pieces("{link} to see your games on every device, and to get mail when it is your turn.", {link: h("a", {href: "/sign-in"}, t("Sign in"))}) : []));
}

async function begin() {
	$("settings").hidden = !account();
	if (account()) fill($("who"), ...pieces("Signed in as {name}.", {name: bdi(me.player.name)}));
	else strangers();
	const {items} = await api.json(`/v1/rulesets${inLanguage}`);
	names = new Map(items.map(({id, name}) => [id, name]));
	await Promise.all([draw(), drawFinished(), me && drawInvitations()]);
	if (me) await follow();
}

$("more").addEventListener("click", () => drawFinished().catch(error => text($("trouble"), error.message)));
begin().catch(error => (me && error.status === 401 ? left() : text($("trouble"), error.message)));
