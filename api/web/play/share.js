// @ts-check
// Links to copy and to send on.

/** @import {TableApp} from "../table/app.js" */

/** Copy a link to the game, or to a version of it, and say so; share it where the device has a way to.
 * @param {TableApp} app  @param {number} [version] */
export async function copyLink(app, version = 0) {
	const link = `${location.origin}${location.pathname}${version ? `#version=${version}` : ""}`;
	await copy(app, link, version ? "The link to this moment has been copied." : "The link to this game has been copied.");
}

/** @param {{note: (words: string, passing?: boolean) => void}} app  @param {string} link  @param {string} done */
export async function copy(app, link, done) {
	try {
		if (matchMedia("(pointer: coarse)").matches && navigator.share) await navigator.share({url: link});
		else await navigator.clipboard.writeText(link);
		app.note(done, true);
	} catch (error) {
		if (error.name !== "AbortError") app.note(`Copy this link: ${link}`);
	}
}
