// @ts-check
// A small picture of whoever sits at a seat, drawn by rule from the id alone: the same on every screen. A ring around it shows the clock.

import {seconds} from "../texts.js";

const SKIN = ["#f6d7b8", "#e8b98f", "#c98f63", "#9a633f", "#6e4329"];
const HAIR = ["#2b211c", "#5a3a22", "#8b5a2b", "#c9963f", "#8f8f8f", "#7a2f22"];
const CUTS = [
	"M9 17Q9 6 20 6T31 17L29 15Q20 10 11 15Z", "M9 26Q6 6 20 6T31 26L28 24Q30 12 20 12T12 24Z",
	"M10 16Q12 5 22 6T31 17Q27 10 21 12T10 16Z", "M12 12Q20 3 28 12L27 13Q20 9 13 13Z", "M8 20Q6 4 20 5T32 20Q31 10 26 13Q18 9 8 20Z",
];
const MOUTHS = ["M16 25Q20 29 24 25", "M16 26H24", "M17 25Q21 27 24 24"];

/** Numbers that follow from a text. @param {string} text */
function numbers(text) {
	let state = [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7);
	return (/** @type {number} */ below) => {
		state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
		return (state >>> 8) % below;
	};
}

/** @type {Map<string, Element>} */
const drawn = new Map();

/** @param {string} id  @param {boolean} isBot  @returns {Element} */
export function portrait(id, isBot) {
	const key = `${id} ${isBot}`;
	const found = drawn.get(key) ?? draw(numbers(key), isBot);
	drawn.set(key, found);
	return /** @type {Element} */ (found.cloneNode(true));
}

function draw(next, isBot) {
	const [hue, skin, hair] = [next(360), SKIN[next(SKIN.length)], HAIR[next(HAIR.length)]];
	const eyes = `<circle cx="16" cy="19" r="1.6"/><circle cx="24" cy="19" r="1.6"/>`;
	const face = isBot
		? `<path d="M20 10V5" stroke="#333" stroke-width="2"/><circle cx="20" cy="5" r="2" fill="hsl(${next(360)} 70% 55%)"/><rect x="10" y="10" width="20" height="19" rx="${3 + next(6)}" fill="hsl(${hue} 12% 82%)"/><rect x="13" y="15" width="14" height="8" rx="4" fill="#1b2a33"/><g fill="hsl(${next(360)} 85% 70%)">${eyes}</g><path d="M16 26H24" stroke="#556" stroke-width="1.5"/>`
		: `<rect x="17" y="26" width="6" height="8" fill="${skin}"/><ellipse cx="20" cy="19" rx="9.5" ry="11" fill="${skin}"/><path d="${CUTS[next(CUTS.length)]}" fill="${hair}"/>${eyes}<path d="${MOUTHS[next(MOUTHS.length)]}" fill="none" stroke="#5a2b22" stroke-width="1.4"/>`;
	const whole = `<svg viewBox="0 0 40 40"><circle cx="20" cy="20" r="20" fill="hsl(${hue} 40% 72%)"/><path d="M5 40Q8 31 20 31T35 40Z" fill="hsl(${next(360)} 45% 42%)"/>${face}<circle class="ring" cx="20" cy="20" r="18.5" fill="none" pathLength="100"/></svg>`;
	return /** @type {Element} */ (new DOMParser().parseFromString(whole, "text/html").body.firstElementChild);
}

/** The style of a ring that empties until a deadline. @param {string} deadline  @param {{per_move?: string | null} | null | undefined} pace */
export function ring(deadline, pace) {
	const left = Math.max(0, (Date.parse(deadline) - Date.now()) / 1000);
	const whole = Math.max(left, seconds(pace?.per_move ?? "PT1S"));
	return {"--whole": `${whole}s`, "--gone": `${Math.round(left - whole)}s`};
}
