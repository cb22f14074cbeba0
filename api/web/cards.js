// Cards and zones as elements. What a string means beyond its picture is the ruleset's business, not ours.

const SUITS = { C: ["♣", "clubs"], D: ["♦", "diamonds"], H: ["♥", "hearts"], S: ["♠", "spades"] };
const RANKS = { T: ["10", "ten"], J: ["J", "jack"], Q: ["Q", "queen"], K: ["K", "king"], A: ["A", "ace"] };
const JOKERS = { XB: ["★", "small joker", "black"], XR: ["★", "big joker", "red"] };
const PLAIN = {
  cats_and_dogs: (text) => [text.slice(1), text[0] === "C" ? "cat" : "dog"],
};
const BACKS = 5; // so many are drawn; the number says the rest

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** What is printed on a card: corner, picture, spoken name, colour. */
export function face(text, ruleset) {
  if (PLAIN[ruleset]) {
    const [corner, word] = PLAIN[ruleset](text);
    return { corner, picture: word, name: `${word} ${corner}`, colour: word };
  }
  if (JOKERS[text]) {
    const [picture, name, colour] = JOKERS[text];
    return { corner: "jo", picture, name, colour };
  }
  const french = /^([2-9TJQKA])([CDHS])$/.exec(text);
  if (!french) return { corner: text, picture: "", name: text, colour: "black" };
  const [picture, suit] = SUITS[french[2]];
  const [corner, rank] = RANKS[french[1]] ?? [french[1], french[1]];
  return { corner, picture, name: `${rank} of ${suit}`, colour: suit };
}

export function isCard(text, ruleset) {
  if (typeof text !== "string") return false;
  return ruleset === "cats_and_dogs" ? /^[CD][1-9]$/.test(text) : /^([2-9TJQKA][CDHS]|X[BR])$/.test(text);
}

export function card(text, ruleset) {
  const { corner, picture, name, colour } = face(text, ruleset);
  const parts = [element("span", { class: "corner" }, corner)];
  if (picture) parts.push(element("span", { class: "picture" }, picture));
  return element("span", { class: `card ${colour}`, role: "img", "aria-label": name, "data-card": text }, ...parts);
}

export function backs(count) {
  const label = `${count} hidden ${count === 1 ? "card" : "cards"}`;
  const shown = Array.from({ length: Math.min(count, BACKS) }, () => element("span", { class: "back" }));
  return element("span", { class: "backs", role: "img", "aria-label": label }, ...shown,
    element("span", { class: "count" }, `${count}`));
}

/** A row of cards as it lies: known ones face up, runs of unknown ones as so many backs. */
export function row(cards, ruleset) {
  if (!Array.isArray(cards)) return cards.count ? backs(cards.count) : empty();
  if (!cards.length) return empty();
  const parts = [];
  let unknown = 0;
  const flush = () => {
    if (unknown) parts.push(backs(unknown));
    unknown = 0;
  };
  for (const each of cards) {
    if (each === null) unknown += 1;
    else {
      flush();
      parts.push(card(each, ruleset));
    }
  }
  flush();
  return element("span", { class: cards.length > 12 ? "row many" : "row" }, ...parts);
}

function empty() {
  return element("span", { class: "none" }, "empty");
}

/** `hand_number` → "hand number", `row1` → "row 1" */
export function words(name) {
  return name.replaceAll("_", " ").replace(/([a-z])(\d)/g, "$1 $2");
}

/** `hand.2` → ["hand", 2]; `table` → ["table", null] */
export function place(zone) {
  const [, name, seat] = /^(.*?)(?:\.(\d+))?$/.exec(zone);
  return [words(name), seat === undefined ? null : Number(seat)];
}
