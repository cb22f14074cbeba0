// @ts-check
// Lists of games: one line for each, with what its reader wants to know.

import {portrait} from "../cards/portrait.js";
import {bdi, h} from "../table/dom.js";
import {nameOf} from "../model/model.js";
import {moment, reserveWords, statusWords, t, tn} from "../texts.js";

/** The seat of a player; nobody (undefined) has none, and a bot is no player. */
export const seatOf = (game, player) => player && game.seats.find(({player: sits}) => sits?.id === player);

/** What to say about a game to a player: whose turn it is, until when, or how it ended. */
function standing(game, player) {
	const {status, to_act: due, result, paused} = game;
	const own = seatOf(game, player);
	if (status === "finished" && own) return result?.winners.includes(own.seat) ? t("won") : result?.winners.length ? t("lost") : t("nobody has won");
	const free = game.seats.filter(({open}) => open).length;
	if (status === "open" && !own && free) return tn("{n} seat is free", "{n} seats are free", free);
	if (status !== "running" || paused) return paused ? t("paused") : status === "open" ? t("waiting for players") : statusWords(status);
	if (own && due.includes(own.seat)) {
		const until = own.deadline ? t("your turn until {time}", {time: moment(own.deadline)}) : t("your turn");
		return [until, reserveWords(own, game.pace)].filter(Boolean).join("; ");
	}
	const until = game.seats.filter(({seat, deadline}) => deadline && due.includes(seat)).map(({deadline}) => deadline).sort()[0];
	return until ? t("until {time}", {time: moment(until)}) : statusWords(status);
}

/** Who sits at a game, parted by commas. */
const people = game => game.seats.flatMap(({open}, seat) => (open ? [] : [", ", bdi(nameOf(game, seat))])).slice(1);

/** A line of a list: a link to the table of a game. */
export const line = (game, names, player) => h("li", h("a", {href: `/table/${game.id}`},
	h("strong", names.get(game.ruleset) ?? game.ruleset, game.title ? [" · ", bdi(game.title)] : null),
	h("span", {class: `status ${game.status}`}, standing(game, player)),
	game.origin === "imported" ? h("span.status", t("imported")) : null,
	h("span.people", ...people(game), ...(game.finished_at ? [" · ", h("time", {datetime: game.finished_at}, moment(game.finished_at))] : []))));

/** Who sits at a seat, as a small picture. @param {any} seat */
export const face = ({seat, open, player, bot}) => (open ? h("span.vacant", "?") : portrait(player?.id ?? `${bot} ${seat}`, Boolean(bot)));

/** A game that goes on, as a wide card with faces and room for its player's hand. */
export const wide = (game, names, player) => h("li", h("a", {href: `/table/${game.id}`, class: game.status === "running" && game.to_act.includes(seatOf(game, player)?.seat) && "due"},
	h("strong", names.get(game.ruleset) ?? game.ruleset, game.title ? [" · ", bdi(game.title)] : null),
	h("span", {class: `status ${game.status}`}, standing(game, player)),
	h("span.faces", {"aria-hidden": "true"}, ...game.seats.filter(one => one !== seatOf(game, player)).map(face)),
	h("span.people", ...people(game)),
	h("span.deck", {"aria-hidden": "true"})));

const deadline = ([game, player]) => seatOf(game, player)?.deadline ?? "9";

/** Games, each with its player: running ones with the player's turn, the earliest deadline first; other running ones; open ones. */
export function grouped(games) {
	const mine = ([game, player]) => game.to_act.includes(seatOf(game, player)?.seat);
	const running = games.filter(([{status}]) => status === "running");
	return {
		turns: running.filter(mine).sort((one, other) => (deadline(one) < deadline(other) ? -1 : 1)),
		waiting: running.filter(game => !mine(game)),
		open: games.filter(([{status}]) => status === "open"),
	};
}

export function inOrder(games) {
	const {turns, waiting, open} = grouped(games);
	return [...turns, ...waiting, ...open];
}
