// @ts-check
// Pictures of cards, drawn here by rule: pips in columns, courts of simple shapes, signs that a ruleset declares.
// Each face has two drawings: the whole one, and a plain one for small cards; the style sheet shows the one that fits.

const SVG = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg")?.namespaceURI ?? "";

const PIPS = {// in a box of 100, with its middle at 0 0
	H: "M0 40C-10 26-46 4-46-19C-46-35-34-44-23-44C-11-44-3-37 0-27C3-37 11-44 23-44C34-44 46-35 46-19C46 4 10 26 0 40Z",
	D: "M0-48C9-30 22-13 36 0C22 13 9 30 0 48C-9 30-22 13-36 0C-22-13-9-30 0-48Z",
	S: "M0-46C8-28 44-10 44 14C44 28 34 34 25 34C15 34 8 30 4 22C6 34 9 41 17 46L-17 46C-9 41-6 34-4 22C-8 30-15 34-25 34C-34 34-44 28-44 14C-44-10-8-28 0-46Z",
	C: "M-21-24a21 21 0 1 1 42 0a21 21 0 1 1-42 0ZM-44 9a21 21 0 1 1 42 0a21 21 0 1 1-42 0ZM2 9a21 21 0 1 1 42 0a21 21 0 1 1-42 0ZM-9-12L9-12L7 14C8 32 11 41 18 46L-18 46C-11 41-8 32-7 14Z",
};

// Columns and rows of pips, in parts of the field: x is -1, 0 or 1, y from -1 to 1.
const SIDES = {2: [-1, 1], 3: [-1, 0, 1], 4: [-1, -1 / 3, 1 / 3, 1]};
const MIDDLES = {A: [0], 2: [-1, 1], 3: [-1, 0, 1], 5: [0], 7: [-0.5], 8: [-0.5, 0.5], 9: [0], T: [-2 / 3, 2 / 3]};
const IN_SIDES = {4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 4, T: 4};
const COURTS = "JQK";
const INKS = {red: "#c1122f", black: "#1b1d1c", orange: "#a04200", blue: "#0b4fb3", green: "#17663a", purple: "#6b2fa0"};
const TINTS = {red: "#fbe6e4", black: "#e8e9e6", orange: "#fdebd8", blue: "#e1ecfb", green: "#e2f2e6", purple: "#efe5f8"};
const GOLD = "#e3a72f";
const SKIN = "#f2cfab";

function draw(kind, attributes, ...children) {
	const made = document.createElementNS(SVG, kind);
	for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
	made.append(...children);
	return made;
}

const path = (d, fill, more = {}) => draw("path", {d, fill, ...more});
const at = (x, y, size, turned = false) => ({transform: `translate(${x} ${y}) scale(${size / 100})${turned ? " rotate(180)" : ""}`});
const turned = part => draw("g", {transform: "rotate(180 50 70)"}, part);
const ink = ({colour}) => INKS[colour] ?? INKS.black;

function write(words, x, y, size, fill, more = {}) {
	const wide = words.length * size * 0.62;
	const fits = more.most && wide > more.most ? {textLength: more.most, lengthAdjust: "spacingAndGlyphs"} : {};
	return draw("text", {x, y, "font-size": size, fill, "font-weight": 700, "text-anchor": more.anchor ?? "middle", ...fits}, words);
}

/** The sign of a card: its suit, or what its ruleset declares, drawn in a box of 100. */
const sign = ({suit, icon}) => (icon ? {d: icon, shift: "translate(-50 -50)"} : {d: PIPS[suit]});

function placed(card, x, y, size, isTurned = false) {
	const {d, shift = ""} = sign(card);
	const {transform} = at(x, y, size, isTurned);
	return path(d, ink(card), {transform: `${transform} ${shift}`, "fill-rule": card.icon ? "evenodd" : "nonzero"});
}

const hasSign = ({suit, icon}) => Boolean(icon || PIPS[suit]);

/** The rank and the sign in a corner; the whole of it lies where a fan of cards leaves it visible.
 * @param {string} text */
function corner(card, text) {
	const part = draw("g", {}, write(text, 13, 25, 24, ink(card), {most: 20}));
	if (hasSign(card)) part.append(placed(card, 13, 38, 15));
	return part;
}

function pips(card) {
	const [columns, rows] = [17, 46];
	const sides = SIDES[IN_SIDES[card.rank]] ?? [];
	const spots = [...(MIDDLES[card.rank] ?? []).map(y => [0, y]), ...sides.flatMap(y => [[-1, y], [1, y]])];
	const size = card.rank === "A" ? (card.suit === "S" ? 58 : 44) : 20;
	return spots.map(([x, y]) => {
		const pip = placed(card, 50 + x * columns, 70 + y * rows, size, y > 0);
		pip.setAttribute("class", "pip");
		return pip;
	});
}

const HEADWEAR = {
	K: ["M37 33L34 15L42 23L50 12L58 23L66 15L63 33Z", [[34, 14], [50, 11], [66, 14]]],
	Q: ["M39 33L36 20Q40 26 44 26Q47 25 50 17Q53 25 56 26Q60 26 64 20L61 33Z", [[36, 19], [50, 16], [64, 19]]],
	J: ["M37 33C34 20 46 15 57 17C66 19 67 27 63 33Z", []],
};
const HAIR = {
	K: "M39 36C37 54 43 60 50 60C57 60 63 54 61 36L57 40L43 40Z",
	Q: "M38 32C32 46 34 56 37 60L63 60C66 56 68 46 62 32Z",
	J: "M39 32C35 44 38 50 41 52L59 52C62 50 65 44 61 32Z",
};
const HAIR_INK = {K: "#8a6a4a", Q: "#5b3a21", J: "#b9803a"};

/** The upper half of a court card, between 16 and 70. */
function bust(card) {
	const robe = ink(card);
	const [hat, pearls] = HEADWEAR[card.rank];
	const part = draw("g", {},
		path(HAIR[card.rank], HAIR_INK[card.rank]),
		path("M26 70C27 60 36 56 44 55L56 55C64 56 73 60 74 70Z", robe),
		path("M43 55L57 55L54 70L46 70Z", GOLD),
		path("M44 54L50 60L56 54L56 50L44 50Z", SKIN));
	part.append(draw("ellipse", {cx: 50, cy: 40, rx: 9.5, ry: 11.5, fill: SKIN}));
	if (card.rank === "K") part.append(path("M41 43C42 53 46 56 50 56C54 56 58 53 59 43C56 47 53 46 50 46C47 46 44 47 41 43Z", HAIR_INK.K));
	part.append(path(hat, card.rank === "J" ? robe : GOLD), ...pearls.map(([x, y]) => draw("circle", {cx: x, cy: y, r: 2.4, fill: robe})));
	if (card.rank === "J") part.append(path("M60 21C66 10 73 12 75 16C71 15 66 20 64 27Z", GOLD));
	part.append(...[46, 54].map(x => draw("circle", {cx: x, cy: 38, r: 1.3, fill: "#1b1d1c"})));
	if (card.rank !== "K") part.append(path("M47 46Q50 48.5 53 46", "none", {stroke: "#a34a3a", "stroke-width": 1.2}));
	part.append(path("M29 70L36 60L38 70Z M71 70L64 60L62 70Z", "#fff", {opacity: 0.35}));
	return part;
}

function court(card) {
	const frame = draw("rect", {x: 25, y: 14, width: 50, height: 112, rx: 4, fill: TINTS[card.colour] ?? "#fff", stroke: ink(card), "stroke-width": 1});
	return [frame, bust(card), turned(bust(card)), path("M25.5 70L74.5 70", "none", {stroke: "#fff", "stroke-width": 1.4})];
}

/** A jester's cap with three bells. */
function cap(card) {
	return [
		path("M30 84C20 70 18 54 24 46C34 46 40 54 43 62C44 48 46 38 52 32C60 40 60 52 58 62C62 54 70 48 80 50C82 62 78 74 70 84Z", ink(card)),
		path("M43 62L50 84L30 84Z M58 62L70 84L60 84Z M28 84L72 84L70 94L30 94Z", GOLD),
		...[[24, 44], [52, 29], [81, 48]].map(([x, y]) => draw("circle", {cx: x, cy: y, r: 5, fill: GOLD, stroke: "#1b1d1c", "stroke-width": 0.8})),
	];
}

function joker(card) {
	return [...cap(card), write(card.name.split(" ")[0], 50, 114, 14, ink(card), {most: 60})];
}

/** The middle of a card that is not French: its number, above its sign, with what it is worth below.
 * @param {string} text */
function figure(card, text) {
	const parts = [draw("circle", {cx: 50, cy: 71, r: 34, fill: TINTS[card.colour] ?? TINTS.black})];
	if (card.icon) parts.push(placed(card, 50, 71, 50));
	else parts.push(write(text, 50, text.length > 2 ? 84 : 90, text.length > 2 ? 32 : 52, ink(card), {most: 56}));
	if (card.icon && !/\d/.test(card.name) && card.name !== text) parts.push(write(card.name, 44, 126, 12, ink(card), {most: 54}));
	const worth = card.points > 0 && card.points < 6 ? card.points : 0;
	for (let i = 0; i < worth; i++) {
		const x = 50 + (i - (worth - 1) / 2) * 17;
		parts.push(path("M-4 4L-7 14L0 10L7 14L4 4Z", ink(card), {transform: `translate(${x} 121)`}),
			draw("circle", {cx: x, cy: 121, r: 6.5, fill: GOLD, stroke: ink(card), "stroke-width": 1.4}));
	}
	return parts;
}

/** @param {string} text */
function whole(card, text) {
	const first = corner(card, text);
	const last = turned(corner(card, text));
	if (card.rank === "X") return [...joker(card), first];
	if (!PIPS[card.suit] || card.icon) return [...figure(card, text), first, ...(card.points == null ? [last] : [])];
	if (COURTS.includes(card.rank)) return [...court(card), first, last];
	return [...pips(card), first, last];
}

/** Rank and sign so large that they can be read on a card of 20 pixels, in its left half: cards lie on each other.
 * @param {string} text */
function plain(card, text) {
	const isLong = text.length > 2;
	const parts = [write(text, isLong ? 42 : 28, 50, isLong ? 38 : 54, ink(card), {most: isLong ? 72 : 46})];
	if (card.rank !== "X" && !hasSign(card)) return [...parts, path("M22 118L78 118", "none", {stroke: ink(card), "stroke-width": 10, "stroke-linecap": "round", opacity: 0.5})];
	if (card.rank === "X") parts.push(draw("g", {transform: "translate(2 42)"}, ...cap(card)));
	else parts.push(placed(card, 28, 98, 46));
	return parts;
}

const drawings = new Map();

/** The two drawings of a card as the catalogue describes it; `text` is what stands for its rank.
 * @param {string} text */
export function faces(card, text) {
	const key = JSON.stringify([card, text]);
	if (!drawings.has(key)) {
		const picture = (kind, parts) => draw("svg", {class: kind, viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false"}, ...parts);
		drawings.set(key, [picture("whole-face", whole(card, text)), picture("plain-face", plain(card, text))]);
	}
	return drawings.get(key).map(one => one.cloneNode(true));
}
