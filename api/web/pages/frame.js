// @ts-check
// The page of a frame: it passes the table's events on to the page around it. `#theme=dark` chooses the theme.
// Only sites of EMBED_ORIGINS can show the frame, and what it says anybody may know: its game is public.

import {DECLARED} from "../verify/declared.js";

const EVENTS = ["ready", ...Object.keys(DECLARED.types), "error"];
const LOWEST = 544; // pixels
const HIGHEST = 900;

const table = /** @type {HTMLElement} */ (document.querySelector("card-referee-table"));
const say = (type, detail) => parent !== self && parent.postMessage({type: `card-referee-${type}`, detail}, "*");

const theme = new URLSearchParams(location.hash.slice(1)).get("theme");
if (theme) table.setAttribute("theme", theme);
for (const type of EVENTS) table.addEventListener(`card-referee-${type}`, event => say(type, /** @type {CustomEvent} */ (event).detail));

let said = 0;
new ResizeObserver(() => {
	const height = Math.round(Math.min(HIGHEST, Math.max(LOWEST, document.documentElement.clientWidth * 0.75)));
	if (height !== said) say("size", {height});
	said = height;
}).observe(document.documentElement);
