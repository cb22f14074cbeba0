// @ts-check
// The lobby: who looks for others, and free seats at public tables; one press to sit down. And looking for others oneself.

import {account} from "../game/account.js";
import {client, pause} from "../game/client.js";
import {guest, known} from "../game/guests.js";
import {keepToken} from "../game/storage.js";
import {$, bdi, fill, h, patch, text} from "../table/dom.js";
import {line} from "../site/game-list.js";
import {paceSentence} from "../site/pace-words.js";
import {t, tn} from "../texts.js";

const AGAIN = 8; // seconds until the lobby is asked again
const ASKED = 2; // seconds until a seek is asked for its game
const BOTS_AFTER = 60; // seconds after which bots are offered
const MOST = 12;
const SOON = "PT1M"; // how long one looks for players who play at once; then it is asked again, by whoever is still here

/** @typedef {{ruleset: string, seats: number, options?: object, pace?: object | null, visibility?: string, bots?: string[]}} Terms */

const me = () => account() ?? known();
const isMine = seek => seek.player.id === me()?.player.id;

/** Begin to show the lobby, and go on while the page is open.
 * @param {() => Map<string, string>} names  @param {(terms: Terms) => Promise<void>} look */
export async function followLobby(names, look) {
	for (;;) {
		if (!document.hidden) await draw(names(), look).catch(() => {}); // the next time
		await pause(AGAIN);
	}
}

async function draw(names, look) {
	const api = client(); // a token that has ended would show nothing
	const [seeks, tables] = await Promise.all([
		api.json(`/v1/seeks?limit=${MOST}`).then(({items}) => items.filter(seek => !isMine(seek)), () => []),
		api.json(`/v1/games?visibility=public&status=open&limit=${MOST}`).then(({items}) => items.filter(free)),
	]);
	$("nobody").hidden = Boolean(seeks.length + tables.length) || !$("looking").hidden;
	$("seen").hidden = $("looking").hidden;
	show($("seeks"), seeks, seek => h("li.seek",
		h("span", h("strong", names.get(seek.ruleset) ?? seek.ruleset), " · ", bdi(seek.player.name), h("span.people", termsOf(seek))),
		h("button", {onclick: event => attempt(event, () => look(seek))}, t("Play"))));
	const latest = new Map(tables.map(game => [game.id, game]));
	const drawn = game => line(game, names, me()?.player.id);
	show($("tables"), tables, game => {
		const made = drawn(game);
		made.append(h("button", {onclick: event => attempt(event, () => sit(/** @type {any} */ (made).game))}, t("Sit down")));
		return made;
	}, (made, {id}) => {
		made.game = latest.get(id);
		const [fresh] = drawn(made.game).children;
		if (!fresh.isEqualNode(made.firstElementChild)) made.firstElementChild.replaceWith(fresh);
	});
}

/** Show a list in which nothing moves away under the pointer: what is new comes last, and what is gone stays, dimmed, while the
 * pointer is there. */
function show(parent, items, make, update = (_made, _item) => {}) {
	const before = [...parent.children].map(({dataset}) => dataset.key);
	const gone = $("lobby").matches(":hover") ? before.filter(key => !items.some(({id}) => id === key)).map(id => ({id, isGone: true})) : [];
	const place = ({id}) => (before.includes(id) ? before.indexOf(id) : before.length);
	patch(parent, [...items, ...gone].sort((one, other) => place(one) - place(other)), ({id}) => id, make, (made, item) => {
		made.classList.toggle("gone", Boolean(item.isGone));
		made.lastElementChild.disabled ||= Boolean(item.isGone);
		if (!item.isGone) update(made, item);
	});
}

const free = ({seats, rematch_of}) => !rematch_of && seats.some(({open, invited}) => open && !invited);

/** @param {Terms} terms */
const termsOf = ({seats, pace, bots = []}) => [
	tn("{n} seat", "{n} seats", seats), bots.length ? tn("{n} bot", "{n} bots", bots.length) : "", pace ? paceSentence(pace) : t("now, without clocks"),
].filter(Boolean).join(" · ");

/** Do what a button says, once however often it is pressed. */
async function attempt({currentTarget: button}, action) {
	text($("trouble"), "");
	button.disabled = true;
	await action().catch(error => text($("trouble"), error.message));
	button.disabled = false;
}

const asWho = () => guest($("name").value.trim() || t("Guest"));

/** Take a free seat of a public table. */
async function sit({id, seats}) {
	const {token} = await asWho();
	const {seat} = seats.find(({open, invited}) => open && !invited);
	await client(token).json(`/v1/games/${id}/seats/${seat}`, {method: "PUT", body: {}});
	open(id, token);
}

function open(game, token) {
	if (!account()) keepToken(game, token, true);
	location.assign(`/table/${game}`);
}

/** What ends looking: one looks for one game at a time. */
let stop = async () => null;

/** Look for players with these terms, until their game begins or the player gives up.
 * @param {Terms} terms  @param {string} name  of the game  @param {() => Promise<void>} playWithBots */
export async function lookFor({ruleset, seats, options = {}, pace = null, visibility = "public", bots = []}, name, playWithBots) {
	if (await stop()) return;
	const {token} = await asWho();
	const api = client(token);
	const body = {ruleset, seats, options, pace, visibility, bots, expires_in: pace ? undefined : SOON};
	const ask = () => api.json("/v1/seeks", {method: "POST", body}).catch(error => {
		if (error.status === 409 && error.body.conflicts_with) return api.json(`/v1/seeks/${error.body.conflicts_with}`); // it looks for them already
		throw error;
	});
	let seek = await ask();
	let isWanted = true;
	const withdraw = async (keepalive = false) => {
		if (!isWanted) return null;
		isWanted = false;
		$("looking").hidden = true;
		const game = await api.request(`/v1/seeks/${seek.id}`, {method: "DELETE", keepalive}).then(() => null, ({status, body}) => (status === 409 ? body.conflicts_with : null));
		if (game) open(game, token); // somebody has just come
		return game;
	};
	stop = withdraw;
	const leave = () => void (isWanted && !seek.game && !pace && withdraw(true)); // who plays now must be here
	globalThis.addEventListener("pagehide", leave, {once: true});
	$("sheet").close();
	text($("looking-for"), `${name} · ${termsOf(body)}`);
	fill($("looking-more"), h("button", {onclick: () => stop()}, t("Stop looking")));
	$("looking").hidden = Boolean(seek.game);
	$("nobody").hidden = true;
	$("seen").hidden = false;
	$("looking").scrollIntoView({block: "nearest"});
	const since = Date.now();
	while (isWanted) {
		text($("looking-since"), new Date(Date.now() - since).toISOString().slice(15, 19));
		if (seek.game) {
			isWanted = false;
			open(seek.game, token);
			return;
		}
		if (Date.now() - since > 1000 * BOTS_AFTER && !$("looking-more").querySelector(".bots")) {
			$("looking-more").append(h("button.bots", {onclick: () => stop().then(game => game || playWithBots())}, t("Play against bots now")));
		}
		await pause(ASKED);
		if (isWanted) seek = await (seek.status === "expired" ? ask() : api.json(`/v1/seeks/${seek.id}`)).catch(({status}) => (status === 404 ? {...seek, status: "expired"} : seek)); // the next time
	}
}
