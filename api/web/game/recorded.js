// @ts-check
// A record, from a file or a finished game, as the table shows it: every card open. Positions come from the stateless
// referee, given the moves up to a version.

import {client, remembered, rulesetOf} from "./client.js";
import {list, t} from "../texts.js";

/** @import {Entry} from "../types.d.ts" */

const MEMBERS = {ruleset: "string", seats: "number", moves: "object"};

export class RecordedGame {
	constructor(file, origin = "") {
		const record = file?.format === "card-referee-bundle/1" ? file.record : file;
		if (record?.format !== "card-referee/1") throw new Error(t("This is not a game record: its format is not card-referee/1."));
		const missing = Object.keys(MEMBERS).filter(name => typeof record[name] !== MEMBERS[name]);
		if (missing.length) throw new Error(t("This record is incomplete. It lacks {members}.", {members: list(missing)}));
		this.record = record;
		this.api = client("", origin);
		this.log = record.entries?.length ? record.entries : written(record);
		this.at = remembered(version => this.game(version));
	}

	async begin() {
		this.ruleset = await rulesetOf(this.api, this.record.ruleset);
		this.newest = await this.at(this.log.length);
		return this.newest;
	}

	/** @param {number} version */
	async game(version) {
		const log = this.log.slice(0, version);
		const seats = Array.from({length: this.record.seats}, (_, seat) => ({seat, player: null, bot: null, open: false, deadline: null}));
		const {names = {}} = this.record;
		for (const {type, seq, seat, player, bot = null} of log) {
			if (type === "joined") seats[seat] = {...seats[seat], player: player ? {...player, name: names[seq]?.name ?? t("erased person")} : null, bot};
		}
		const end = log.find(({type}) => type === "finished" || type === "cancelled");
		const view = log.some(({type}) => type === "started") ? await this.position(log) : null;
		const {ruleset, options = {}, commitment = null} = this.record;
		return {
			id: null, ruleset, ruleset_version: this.record.version ?? this.ruleset.version, options, commitment, seats, view, version,
			status: end?.type ?? (view ? "running" : "open"), visibility: "file", pace: log[0]?.pace ?? null, viewer: {seats: []},
			to_act: end ? [] : view?.to_act ?? [], result: end?.result ?? null, created_at: log[0]?.at, updated_at: log.at(-1)?.at,
		};
	}

	/** @param {Entry[]} log */
	async position(log) {
		const moves = standing(log, this.record.moves);
		const {entries, names, chance, ended, result, commitment, ...rest} = this.record;
		const last = log[log.length - 1];
		const ending = last.type === "finished" && ended && last.seq === this.log.at(-1)?.seq ? {ended} : {};
		const answer = await this.api.json("/v1/referee/replays", {
			method: "POST", body: {...rest, entropy: rest.entropy ?? Array(rest.seats).fill(""), moves, ...ending},
		});
		if (answer.refused) throw new Error(t("Move {n} is refused by {rule}: {reason}", {n: answer.refused.n, ...answer.refused.verdict}));
		return answer.position;
	}

	/** @param {number} after  @param {number} [limit] */
	async entries(after, limit = 200) {
		return this.log.slice(after, after + limit);
	}
}

/** @param {Entry[]} log  @param {{seq?: number, move: any}[]} listed the moves of the record, where a text that was erased has a stand-in */
function standing(log, listed) {
	let made = [];
	for (const {type, seq, seat, move, of, private: shares} of log) {
		if (type === "moved") made.push({seq, seat, move: shares?.[seat]?.move ?? shares?.all?.move ?? listed.find(one => one.seq === seq)?.move ?? move});
		else if (/taken_back|_undone/.test(type)) made = made.filter(one => one.seq < (of ?? 0));
	}
	return made.map(({seat, move}) => ({seat, move}));
}

function written(record) {
	/** @type {Record<string, any>[]} */
	const log = [{type: "created", ruleset: record.ruleset}];
	for (let seat = 0; seat < record.seats; seat++) log.push({type: "joined", seat, player: null, bot: null});
	log.push({type: "started"});
	for (const {seat, move, at} of record.moves ?? []) log.push({type: "moved", seat, move, at});
	if (record.ended?.type === "cancelled") log.push({type: "cancelled"});
	else if (record.result) log.push({type: "finished", result: record.result});
	return log.map((entry, i) => ({seq: i + 1, at: record.at ?? null, ...entry}));
}
