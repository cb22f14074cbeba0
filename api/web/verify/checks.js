// @ts-check
// The results of checks by this page and by the server.

import {checkReceipts} from "../game/receipts.js";
import {fill, h, text} from "../table/dom.js";
import {traces} from "./traces.js";

const OPEN = "Seed, sealed parts and shuffles can be checked once the game is over.";
const BEYOND = "This page does not know the rules of the games. It does not check whether a game may have such options, whether each move was legal, what moves did with cards that were"
	+ " already dealt and what they scored, how many there were to pick from, the result of a game that was played to its end, what bots and late seats chose, whether a deadline is"
	+ " missing, whether a move that was taken back had shown a card, and the signature of a beacon. `referee verify` checks all of this.";
const IMPORTED = "An app imported this game: this server did not deal it, and cannot say who played it.";
const NAMES = {
	sequence: "No entry is missing",
	times: "No entry is older than the one before",
	order: "Entries are in a possible order",
	chain: "Every hash matches its entry and the one before",
	result: "The result is that of the log",
	commitment: "The seed is the one promised before the deal",
	sealed: "Hidden parts are those that were sealed",
	moves: "The moves are those of the log",
	chance: "Shuffles follow from the seed and the players' entropy",
	dealt: "Every card was dealt as shuffled",
	terms: "The record describes its game as the log does",
	test_clock: "A test game: its app set the time",
	entropy: "Seats revealed what they had committed to",
	beacon: "The beacon's round is the right one",
	seats: "Everybody acted only for their own seat",
	consent: "Moves were taken back, and seats given away by others, only by agreement",
	bots: "Bots' moves follow from the seed",
	clocks: "Deadlines, reserves and days off follow from the pace",
	signatures: "Players with keys signed their actions",
	members: "There are no unknown members",
	receipts: "The log is the one that the server signed",
	watched: "The log is the one that this page showed",
};

export const verifyHere = (game, watched, where) => show(where, async () => {
	const record = game.record.entries ? game.record : typeof game.record === "function" ? await game.record() : null;
	if (!record) throw new Error("this record has no log");
	const {checks} = await inWorker(record);
	const own = game.id && await checkReceipts(game.id, record.entries, (await game.api.json(`/v1/log-keys?game=${game.id}`)).items);
	return {others: [...traces(record.entries), BEYOND], checks: [...checks, sameAs(record.entries, watched), ...(own ? [own] : [])], open: record.seed == null, origin: record.origin};
});

export const verifyThere = (game, where) => show(where, () => game.verification());

async function inWorker(record) {
	const script = new URL("verifier.js", import.meta.url);
	if (script.origin !== location.origin) return (await import(script.href)).verifyAll(record); // no worker from other origins
	const worker = new Worker(script, {type: "module"});
	return new Promise((done, failed) => {
		worker.onmessage = ({data}) => done(data);
		worker.onerror = () => failed(new Error("the verifier has failed"));
		worker.postMessage(record);
	}).finally(() => worker.terminate());
}

async function show({button, verdict, list}, find) {
	button.disabled = true;
	text(verdict, "Checking …");
	list.replaceChildren();
	try {
		const {checks, open, origin, others = []} = await find();
		const failed = checks.filter(check => !check.ok).length;
		text(verdict, failed ? `${failed} of ${checks.length} checks fail.` : `All ${checks.length} checks hold.`);
		fill(list, ...(origin === "imported" ? [note(IMPORTED)] : []), ...checks.map(line), ...others.map(note), ...(open ? [note(OPEN)] : []));
	} catch (error) {
		text(verdict, `This could not be checked: ${error.message}`);
	} finally {
		button.disabled = false;
	}
}

function sameAs(entries, watched) {
	const other = [...watched.values()].find(({seq, hash}) => entries[seq - 1]?.hash !== hash);
	const detail = other ? "another hash was shown here" : `${watched.size} entries compared`;
	return {name: "watched", ok: !other, detail, seq: other?.seq ?? null};
}

function line({name, ok, detail, seq}) {
	const where = !ok && seq ? `entry ${seq}: ` : "";
	return h("li", {class: ok ? "holds" : "fails", "data-check": name},
		h("span.unseen", ok ? "holds: " : "fails: "), NAMES[name] ?? name,
		detail && h("span.status", ` – ${where}${detail}`));
}

function note(words) {
	return h("li.open", words);
}
