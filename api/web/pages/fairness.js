// @ts-check
// Whether a finished game was fair, what nobody can know, and how it was dealt: step by step, with whatever the reader puts in.

import {client, gameHere, why} from "../game/client.js";
import {tokenFor} from "../game/storage.js";
import {$, fill, h, saveAs, text} from "../table/dom.js";
import {kindsOf, verdictOf, verifyBundle} from "../evidence/bundle.js";
import {deal, givenIn} from "../evidence/deal.js";
import {fairness} from "../evidence/fair.js";
import {UNKNOWABLE} from "../evidence/words.js";
import {NAMES} from "../verify/checks.js";
import {readStrictly} from "../verify/shapes.js";
import {moment, t, tn} from "../texts.js";

const id = gameHere();
const api = client(tokenFor(id));
const KINDS = {
	test_clock: t("A test game: its app set the time"),
	imported: t("An app imported this game: this server did not deal it, and cannot say who played it."),
	practice: t("A practice game: all seats but one were played by bots."),
	erased: t("Names or texts of people were erased; everything else is checked."),
};
const CLASSES = {proved: "holds", contradicted: "fails"};
const BY = {mathematics: t("mathematics"), "the server's key": t("the server’s key"), witnesses: t("witnesses"), "players' keys": t("the players’ keys"), nobody: t("nobody")};
const MARKS = {true: ["holds", t("agrees")], false: ["fails", t("does not agree")]};

function mark(ok) {
	const [kind, words] = MARKS[ok];
	return h("b", {class: kind, "data-ok": String(ok)}, ` ${words}`);
}

const pair = (words, {computed, recorded, ok}) => h("p", words, h("code", computed), ok === null ? null : mark(ok), h("br"), t("The log says:"), " ", h("code", recorded));

class Page {
	constructor(content, game) {
		this.content = content;
		this.bundle = readStrictly(content);
		this.record = this.bundle.record;
		this.game = game;
		this.mine = game.viewer.seats;
	}

	show() {
		fill($("kinds"), ...kindsOf(this.record).map(kind => h("p", KINDS[kind])));
		const {result, view} = this.game;
		fill($("players"), ...this.game.seats.map(({seat}) => h("tr", h("td", this.holder(seat) ?? t("Seat {seat}", {seat})), h("td", result?.winners.includes(seat) ? t("won") : ""), h("td", `${view?.scores[seat] ?? ""}`))));
		fill($("unknowable"), ...Object.values(UNKNOWABLE).map(one => h("li", one)));
		const [begun] = this.record.entries;
		const isBound = begun.entropy; // then not even the operator could choose
		text($("chosen"), isBound ? t("Nobody could choose a card: not the seats, which promised their parts in advance, and not the server.")
				: t("The operator could have tried seeds before promising one, because this match has no commitments of the seats. What the seats added later limits that."));
		this.given = structuredClone(givenIn(this.record));
		const input = (label, value, change) => h("p", h("label", label, h("br"), h("input", {value, size: 70, spellcheck: "false", oninput: ({target}) => {
			change(target.value);
			this.work();
		}})));
		const {given} = this;
		const inputs = [input(t("The server's seed"), given.seed, value => (given.seed = value.trim())),
			...given.entropy.map((entropy, seat) => input(this.nameOf(seat), entropy, value => (given.entropy[seat] = value)))];
		$("given").replaceChildren(...inputs); // not `fill`, which would keep old inputs with what was typed
		this.work();
	}

	/** Who held a seat at the end. */
	holder(seat) {
		const {player, bot} = this.game.seats[seat];
		return player?.name ?? (bot ? t("bot {kind}", {kind: bot}) : null);
	}

	/** Who held a seat when the cards were dealt. */
	nameOf(seat) {
		const {player, bot} = deal(this.record, givenIn(this.record)).seats[seat];
		const machine = bot ? t("bot {kind}", {kind: bot}) : t("nobody");
		const called = player ? player.name ?? t("erased person") : machine;
		return `${t("Seat {seat}", {seat})}, ${called}${this.mine.includes(seat) ? ` (${t("you")})` : ""}`;
	}

	work() {
		$("restore").hidden = JSON.stringify(this.given) === JSON.stringify(givenIn(this.record));
		let worked;
		try {
			worked = deal(this.record, this.given);
		} catch (error) {
			text($("verdict"), error.message);
			$("verdict").className = "fails";
			for (const step of ["seed", "seats", "key", "outcomes"]) fill($(step));
			return;
		}
		const {commitment, seats, key, outcomes} = worked;
		fill($("seed"), pair(`${t("SHA-256 of the seed:")} `, commitment));
		const ofPart = seat => t("{seat}: SHA-256 of its part:", {seat: this.nameOf(seat)});
		fill($("seats"), ...seats.map(one => (one.recorded
			? pair(`${ofPart(one.seat)} `, one)
			: h("p", one.entropy ? t("{seat} added “{entropy}”; it had promised nothing before.", {seat: this.nameOf(one.seat), entropy: one.entropy})
				: t("{seat} added nothing; it had promised nothing before.", {seat: this.nameOf(one.seat)})))));
		fill($("key"), h("p", t("HMAC-SHA-256 with the seed as key, of “card-referee/1” and each part with its length before it:"), " ", h("code", key)));
		fill($("outcomes"), ...outcomes.map(outcome => this.outcome(outcome)));
		const wrong = [commitment, ...seats, ...outcomes].filter(({ok}) => ok === false).length;
		text($("verdict"), wrong ? tn("{n} step does not agree with the record.", "{n} steps do not agree with the record.", wrong) : t("Every step of the deal agrees with the record."));
		$("verdict").className = wrong ? "fails" : "holds";
	}

	outcome({k, computed, picks, ok}) {
		const shown = computed.shuffle ? tn("Shuffle of {n} card", "Shuffle of {n} cards", computed.shuffle.length) : t("A pick of {number}: {pick}", {number: computed.of, pick: computed.pick});
		return h("details", h("summary", `${k + 1}. ${shown}`, mark(ok)),
			computed.shuffle && h("p", h("code", computed.shuffle.join(" "))),
			computed.shuffle && h("p", t("From the last place to the second, the card there changed places with that at:"), " ", h("code", picks.map(({pick}) => pick).join(" "))));
	}

	async verify() {
		text($("fair"), t("Checking …"));
		const promises = await verifyBundle(this.bundle, $("policy").value);
		const verdict = verdictOf(promises);
		const names = this.game.seats.map(({seat}) => this.holder(seat)).filter(Boolean).join(", ");
		const called = names ? t("This match ({names})", {names}) : t("This match");
		fill($("fair"), h("b", {class: CLASSES[verdict] ?? "open", "data-verdict": verdict}, fairness(promises, this.record, called, moment)));
		const words = {true: t("holds"), false: t("fails"), null: t("not checked"), missing: t("missing")};
		const counted = ok => promises.filter(promise => promise.ok === ok).length;
		text($("counted"), t("Checks that hold: {held}, that fail: {failed}, not checked: {open}.", {held: counted(true), failed: counted(false), open: counted(null)}));
		fill($("promises"), ...promises.map(({name, by, ok, detail, needed}) => h("li", {class: {true: "holds", false: "fails", null: "open"}[ok], "data-promise": name, "data-ok": String(ok)},
			t("{promise}, guaranteed by {by}: {state}", {promise: NAMES[name] ?? name, by: BY[by] ?? by, state: words[needed && ok === null ? "missing" : ok]}), detail && ` – ${detail}`)));
	}
}

const report = doing => doing.catch(error => text($("trouble"), why(error)));

async function begin() {
	$("back").href = `/table/${id}`;
	const game = await api.json(`/v1/games/${id}`);
	if (!["finished", "cancelled"].includes(game.status)) return text($("trouble"), t("This page is available after the match: until then the seed is secret."));
	const page = new Page(await (await api.request(`/v1/games/${id}/bundle`)).text(), game);
	if (!page.record.entries.some(({type}) => type === "started")) return text($("trouble"), t("This match was called off before it was dealt."));
	if (!page.record.chance) return text($("trouble"), t("The rules of this match are not installed here, so its shuffles are unknown."));
	page.show();
	$("page").hidden = false;
	$("restore").onclick = () => page.show();
	$("save").onclick = () => saveAs(page.content, `${id}.bundle.json`);
	const verify = () => report(page.verify().catch(error => {
		text($("fair"), "");
		throw error;
	}));
	$("verify").onclick = verify;
	verify();
}

report(begin());
