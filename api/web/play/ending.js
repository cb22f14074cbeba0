// The end of a game: who won and why, the points by hand, and what to do next.

import {client} from "../game/client.js";
import {keep, newKey} from "../game/keys.js";
import {keepToken} from "../game/storage.js";
import {nameOf, result} from "../model/model.js";
import {ask, bdi, h} from "../table/dom.js";
import {nodes} from "../table/draw.js";

/** The scores at the end of each hand, from a log; a hand ends where the next is dealt, or with the game. */
export function handsOf(log) {
	const found = [];
	let scores = null;
	for (const {type, transfers = [], scores: now} of log) {
		scores = now ?? scores;
		const isDeal = type === "moved" && transfers.filter(({from}) => from === null).length > 1;
		if (isDeal && scores) found.push(scores);
	}
	if (scores && scores !== found.at(-1)) found.push(scores);
	return found;
}

function pointsTable(game, log) {
	const hands = handsOf(log);
	const final = game.view?.scores ?? hands.at(-1) ?? [];
	const names = game.seats.map((_, seat) => h("th", {scope: "col"}, bdi(nameOf(game, seat))));
	const signed = points => (points > 0 ? `+${points}` : String(points).replace("-", "−"));
	const rows = hands.map((scores, i) => h("tr", h("th", {scope: "row"}, `Hand ${i + 1}`),
		...scores.map((score, seat) => h("td", signed(score - (hands[i - 1]?.[seat] ?? 0))))));
	return h("div.points", {tabindex: "0", role: "region", "aria-label": "Points"}, h("table",
		h("thead", h("tr", h("td"), ...names)),
		h("tbody", ...(rows.length > 1 ? rows : [])),
		h("tfoot", h("tr", h("th", {scope: "row"}, "Total"), ...final.map(score => h("td", String(score)))))));
}

/** The buttons after the end: `[label, what to do]`. */
export function afterwards(app) {
	const {newest, seat, live} = app;
	if (app.readonly || newest.status !== "finished") return [];
	const isBack = seat !== undefined && live.post && app.isPage;
	return [["Result", () => showResult(app)], ...(isBack ? [["Play again", () => playAgain(app)], ["New game", () => location.assign("/")]] : [])];
}

async function showResult(app) {
	const {newest, catalogue} = app;
	const wanted = await ask(app.app, "Result", [
		h("p.outcome", ...nodes(result(newest.result ?? {}, newest), catalogue)),
		pointsTable(newest, app.recorded?.log ?? app.known()),
	], [["", "Close"], ["replay", "Replay"], ["verify", "Verify"], ...(app.isPage && newest.id ? [["share", "Copy link"]] : [])]);
	if (wanted === "replay") await app.goTo(1).then(() => app.replay.play());
	if (wanted === "verify") app.panel.showTrust();
	if (wanted === "share") {
		await navigator.clipboard?.writeText(`${location.origin}${location.pathname}`).catch(() => {});
		app.note("The link to this game has been copied.", true);
	}
}

/** Start another game of the same kind, against the same bots; other people are invited by link. */
async function playAgain(app) {
	const {newest, seat: mine, live} = app;
	const {own, public_key} = await newKey();
	const seats = newest.seats.map(({player, bot}, seat) => (seat === mine ? {player: player.id, public_key} : bot ? {bot} : {open: true}));
	const {ruleset, options, visibility} = newest;
	try {
		const api = client(live.api.token, live.api.origin);
		const {id} = await api.once("/v1/games", {ruleset, options, visibility, seats});
		keepToken(id, live.api.token, true);
		await keep(id, mine, own);
		location.assign(`/table/${id}`);
	} catch (error) {
		app.note(error.status === 403 ? "Only guests and apps can create games here." : error.message);
	}
}
