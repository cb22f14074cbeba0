// @ts-check
// The results of checks by this page and by the server.

import {checkReceipts} from "../game/receipts.js";
import {fill, h, text} from "../table/dom.js";
import {traces} from "./traces.js";
import {t, tn} from "../texts.js";

const OPEN = t("Seed, sealed parts and shuffles can be checked once the game is over.");
const BEYOND = t("This page does not know the rules of the games. It does not check whether a game may have such options, whether each move was legal, what moves did with cards that were already dealt and what they scored, how often something was picked and from how many, the result of a game that was played to its end, what bots and late seats chose, whether a late seat was passed over, whether a deadline is missing or somebody moved after it, and whether a move that was taken back had shown a card. `referee verify` checks all of this.");
const IMPORTED = t("An app imported this game: this server did not deal it, and cannot say who played it.");
export const NAMES = {
	sequence: t("No entry is missing"),
	times: t("No entry is older than the one before"),
	order: t("Entries are in a possible order"),
	chain: t("Every hash matches its entry and the one before"),
	result: t("The result is that of the log"),
	commitment: t("The seed is the one promised before the deal"),
	sealed: t("Hidden parts are those that were sealed"),
	moves: t("The moves are those of the log"),
	chance: t("Shuffles follow from the seed and the players' entropy"),
	dealt: t("Every card was dealt as shuffled"),
	terms: t("The record describes its game as the log does"),
	test_clock: t("A test game: its app set the time"),
	entropy: t("Seats revealed what they had committed to"),
	seats: t("Everybody acted only for their own seat"),
	consent: t("Moves were taken back, and seats given away by others, only by agreement"),
	bots: t("Bots' moves follow from the seed"),
	clocks: t("Deadlines, reserves and days off follow from the pace"),
	signatures: t("Players with keys signed their actions"),
	members: t("There are no unknown members"),
	receipts: t("The log is the one that the server signed"),
	watched: t("The log is the one that this page showed"),
	verdicts: t("Every move was legal"),
	inclusion: t("The game is in the server’s log of all games"),
	witnessed: t("Everybody is shown the same log of all games"),
	clock: t("The times are right"),
	others: t("What others than the players did"),
};

export const verifyHere = (game, watched, where) => show(where, async () => {
	const record = game.record.entries ? game.record : typeof game.record === "function" ? await game.record() : null;
	if (!record) throw new Error(t("this record has no log"));
	const {checks} = await inWorker(record);
	const keys = async () => (await game.api.json("/v1/log-keys")).items;
	const own = game.id && await checkReceipts(game.id, record.entries, keys);
	return {others: [...traces(record), BEYOND], checks: [...checks, sameAs(record.entries, watched), ...(own ? [own] : [])], open: record.seed == null, origin: record.origin};
});

export const verifyThere = (game, where) => show(where, () => game.verification());

async function inWorker(record) {
	const script = new URL("verifier.js", import.meta.url);
	if (script.origin !== location.origin) return (await import(script.href)).verifyAll(record); // no worker from other origins
	const worker = new Worker(script, {type: "module"});
	return new Promise((done, failed) => {
		worker.onmessage = ({data}) => done(data);
		worker.onerror = () => failed(new Error(t("the verifier has failed")));
		worker.postMessage(record);
	}).finally(() => worker.terminate());
}

async function show({button, verdict, list}, find) {
	button.disabled = true;
	text(verdict, t("Checking …"));
	list.replaceChildren();
	try {
		const {checks, open, origin, others = []} = await find();
		const failed = checks.filter(check => !check.ok).length;
		text(verdict, failed ? t("{failed} of {n} checks fail.", {failed, n: checks.length}) : t("All {n} checks hold.", {n: checks.length}));
		fill(list, ...(origin === "imported" ? [note(IMPORTED)] : []), ...checks.map(line), ...others.map(note), ...(open ? [note(OPEN)] : []));
	} catch (error) {
		text(verdict, t("This could not be checked: {reason}", {reason: error.message}));
	} finally {
		button.disabled = false;
	}
}

function sameAs(entries, watched) {
	const other = [...watched.values()].find(({seq, hash}) => entries[seq - 1]?.hash !== hash);
	const detail = other ? t("another hash was shown here") : tn("{n} entry compared", "{n} entries compared", watched.size);
	return {name: "watched", ok: !other, detail, seq: other?.seq ?? null};
}

function line({name, ok, detail, seq}) {
	const entry = t("entry {seq}", {seq});
	const where = !ok && seq ? `${entry}: ` : "";
	return h("li", {class: ok ? "holds" : "fails", "data-check": name},
		h("span.unseen", `${ok ? t("holds") : t("fails")}: `), NAMES[name] ?? name,
		detail && h("span.status", ` – ${where}${detail}`));
}

function note(words) {
	return h("li.open", words);
}
