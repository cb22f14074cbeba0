// The table: seats around the edge, clockwise from the bottom, and in the middle what belongs to nobody.

import { card, element, isCard, place, row, words } from "./cards.js";

// Seats at the bottom, left, top and right, by how many there are.
const SIDES = {
  1: [1, 0, 0, 0], 2: [1, 0, 1, 0], 3: [1, 1, 0, 1], 4: [1, 1, 1, 1], 5: [1, 1, 2, 1],
  6: [2, 1, 2, 1], 7: [2, 1, 3, 1], 8: [2, 2, 2, 2], 9: [3, 2, 2, 2], 10: [3, 2, 3, 2],
};

function nameOf(game, seat) {
  const taken = game.seats[seat];
  if (taken?.player) return taken.player.name;
  return taken?.bot ? `Bot ${seat}` : `Seat ${seat}`;
}

/** A seat's name, isolated: what somebody calls themselves must not turn the text around it. */
export function named(game, seat) {
  return element("bdi", {}, nameOf(game, seat));
}

/** Draw a game as it was at one version; `touched` are the zones that the last entry changed. */
export function drawTable(into, game, touched) {
  const count = game.seats.length;
  const mine = game.viewer?.seats ?? [];
  const near = mine[0] ?? 0;
  const around = Array.from({ length: count }, (_, step) => (near + step) % count);
  const [bottom, left, top] = SIDES[count] ?? [1, 0, count - 1, 0];
  const sides = {
    bottom: around.slice(0, bottom),
    left: around.slice(bottom, bottom + left),
    top: around.slice(bottom + left, bottom + left + top),
    right: around.slice(bottom + left + top),
  };
  const children = Object.entries(sides).filter(([, seats]) => seats.length).map(([side, seats]) =>
    element("div", { class: `side ${side}` }, ...seats.map((seat) => drawSeat(game, seat, touched))));
  into.className = `seats-${count}`;
  into.replaceChildren(...children, drawMiddle(game, touched));
}

function drawSeat(game, seat, touched) {
  const { deadline, bot, open, invite } = game.seats[seat];
  const acts = game.to_act.includes(seat);
  const result = game.view?.result ?? game.result;
  const badges = [
    (game.viewer?.seats ?? []).includes(seat) && "you",
    bot && `bot: ${bot}`,
    open && "open",
    acts && "to act",
    result?.winners?.includes(seat) && "won",
    result?.losers?.includes(seat) && "lost",
  ].filter(Boolean);
  const head = element("div", { class: "head" },
    element("h3", {}, named(game, seat)),
    game.seats[seat].player && element("span", { class: "number" }, `seat ${seat}`),
    element("span", { class: "badges" }, ...badges.map((text) =>
      element("span", { class: `badge ${text.replaceAll(/\W+.*/g, "")}` }, text))),
    game.view && element("span", { class: "score", title: "score" },
      element("span", { class: "unseen" }, "score "), String(game.view.scores[seat])));
  const zones = zonesOf(game, seat).map(([name, label]) => drawZone(game, name, label, touched));
  const when = acts && deadline && element("p", { class: "deadline" }, "until ", time(deadline));
  const code = invite && element("p", { class: "deadline" }, "invite code ", element("code", {}, invite));
  return element("section", { class: acts ? "seat acts" : "seat", "data-seat": seat, "aria-label": `Seat ${seat}` },
    head, when || null, code || null, element("div", { class: "zones" }, ...zones), ...privateFacts(game, seat));
}

function drawMiddle(game, touched) {
  const zones = zonesOf(game, null).map(([name, label]) => drawZone(game, name, label, touched));
  const waiting = game.view ? [] : [element("p", {}, "The game has not begun.")];
  return element("div", { class: "middle" }, ...zones, ...waiting);
}

function zonesOf(game, seat) {
  return Object.keys(game.view?.zones ?? {})
    .map((name) => [name, ...place(name)])
    .filter(([, , owner]) => owner === seat);
}

function drawZone(game, name, label, touched) {
  const cards = game.view.zones[name];
  const count = Array.isArray(cards) ? cards.length : cards.count;
  return element("div", { class: touched.has(name) ? "zone touched" : "zone", "data-zone": name, role: "group",
    "aria-label": `${label}, ${count} ${count === 1 ? "card" : "cards"}` },
  element("span", { class: "label" }, count > 4 ? `${label} (${count})` : label), row(cards, game.view.ruleset));
}

function privateFacts(game, seat) {
  return Object.entries(game.view?.facts ?? {})
    .filter(([name]) => name.startsWith(`private.${seat}.`))
    .map(([name, value]) => element("p", { class: "deadline" }, `${words(name.split(".")[2])}: `,
      ...factValue(value, game.view.ruleset)));
}

/** The facts that everybody sees, as a list of terms. */
export function drawFacts(into, game) {
  const facts = Object.entries(game.view?.facts ?? {}).filter(([name]) => !name.startsWith("private."));
  into.replaceChildren(...facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, words(name)), element("dd", {}, ...factValue(value, game.view.ruleset)))));
}

/** A JSON value for people: cards as cards, nothing as a dash. Returns nodes and strings. */
export function factValue(value, ruleset) {
  if (value === null) return ["–"];
  if (isCard(value, ruleset)) return [card(value, ruleset)];
  if (typeof value === "boolean") return [value ? "yes" : "no"];
  if (Array.isArray(value)) {
    if (!value.length) return ["none"];
    return value.flatMap((each, n) => [...(n && !isCard(each, ruleset) ? [", "] : []), ...factValue(each, ruleset)]);
  }
  if (typeof value === "object") {
    return Object.entries(value).flatMap(([key, each], n) =>
      [n ? ", " : "", `${words(key)} `, ...factValue(each, ruleset)]);
  }
  return [String(value)];
}

export function time(at) {
  return element("time", { datetime: at }, new Date(at).toLocaleString(undefined,
    { dateStyle: "medium", timeStyle: "short" }));
}
