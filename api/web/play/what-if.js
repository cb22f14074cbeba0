// @ts-check
// From a moment of a game to a sandbox: loaded only where somebody asks what would have happened.

import {client} from "../game/client.js";
import {RecordedGame} from "../game/recorded.js";
import {Sandbox} from "./sandbox.js";
import {t} from "../texts.js";

/** @import {TableApp} from "../table/app.js" */

/** Play on from the version shown, against bots. Cards that the viewer may not see are dealt anew.
 * @param {TableApp} app */
export async function whatIf(app) {
	const {live, newest, ruleset, version, game, following} = app;
	try {
		const position = await positionOf(app);
		const sandbox = new Sandbox({...newest, ...game, seats: newest.seats}, ruleset, position, app.seat ?? position.to_act[0], live.api.origin);
		const leave = () => {
			app.note("");
			return app.open(live, following ? 0 : version);
		};
		await app.open(Object.assign(sandbox, {leave}));
		app.note(newest.status === "finished" ? t("Nothing here counts: you play on against bots.") : t("Nothing here counts: you play on against bots. Cards that you cannot see were dealt anew."), true);
	} catch (error) {
		app.note(error);
	}
}

/** @param {TableApp} app */
async function positionOf({live, newest, timeline, version}) {
	if (live instanceof RecordedGame) return (await live.at(version)).view;
	if (newest.status === "finished" && live.record) {
		const recorded = timeline.recorded ?? new RecordedGame(await live.record(), live.api.origin);
		await recorded.begin();
		return (await recorded.at(version)).view;
	}
	const {view} = await live.at(version);
	return (await client("", live.api.origin).json("/v1/referee/samples", {method: "POST", body: {view}})).position;
}
