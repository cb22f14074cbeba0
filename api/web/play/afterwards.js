// @ts-check
// After the end: the buttons of the bar, and another game.

import {t} from "../texts.js";

/** @import {Offer} from "../types.d.ts" */

/** @param {import("../table/app.js").TableApp} app  @returns {[label: string, run: () => unknown, again?: Offer | null][]} */
export function afterwards(app) {
	const {newest, seat, live, readonly, isPage, again} = app;
	if (readonly || newest.status !== "finished") return [];
	/** @type {[string, () => unknown, (Offer | null)?][]} */
	const next = [[t("Play again"), () => playAgain(app), again], [t("New game"), () => location.assign("/")]];
	return [[t("Result"), () => app.complete().then(() => app.panel.showResult())], ...(seat !== undefined && live.post && isPage ? next : [])];
}

/** @param {import("../table/app.js").TableApp} app */
export const playAgain = async app => (await app.later(() => import("../play/ending.js"))).playAgain(app);
