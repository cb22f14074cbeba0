// The log in words. An entry is told from its public form and from whatever of its private part came with it.

import { card, element, isCard, place, row, words } from "./cards.js";
import { factValue, named } from "./table.js";

/** One line of the log: what happened, and which cards went where. */
export function tell(entry, game) {
  const ruleset = game.ruleset;
  const line = element("div", { class: "said" }, ...sentence(entry, game));
  const cards = moved(entry).map(([from, to, list]) => element("li", {},
    ...zone(from, game), " → ", ...zone(to, game), " ", row(list, ruleset)));
  return element("li", { value: entry.seq, "data-seq": entry.seq, class: entry.type },
    line, cards.length ? element("ul", { class: "transfers" }, ...cards) : null);
}

/** The same in plain text, for a status line that is read aloud. */
export function summary(entry, game) {
  return element("span", {}, ...sentence(entry, game));
}

/** The zones that an entry took cards from or put cards into. */
export function zonesTouched(entry) {
  return new Set((entry?.transfers ?? []).flatMap(({ from, to }) => [from, to]).filter(Boolean));
}

function sentence(entry, game) {
  const who = entry.seat == null ? "The organiser" : element("b", {}, named(game, entry.seat));
  switch (entry.type) {
    case "created": return [`A game of ${words(entry.ruleset ?? game.ruleset)} is set up.`];
    case "joined": return [element("b", {}, element("bdi", {}, joiner(entry))), ` takes seat ${entry.seat}.`];
    case "left": return [`Seat ${entry.seat} is free again.`];
    case "started": return ["The cards are dealt."];
    case "moved": return [who, ": ", ...move(entry, game.ruleset)];
    case "said": return [who, element("q", {}, element("bdi", {}, entry.text))];
    case "resigned": return [who, " gives up."];
    case "timed_out": return [who, " runs out of time."];
    case "finished": return result(entry.result, game);
    case "cancelled": return ["The game is called off."];
    default: return [words(entry.type)];
  }
}

function joiner(entry) {
  return entry.player?.name ?? (entry.bot ? `Bot ${entry.seat}` : `Seat ${entry.seat}`);
}

function move(entry, ruleset) {
  const whole = Object.values(entry.private ?? {}).map((share) => share.move).find(Boolean) ?? entry.move;
  const { type, ...fields } = whole;
  const parts = [words(type)];
  for (const [name, value] of Object.entries(fields)) {
    const cards = Array.isArray(value) ? value.some((each) => isCard(each, ruleset)) : isCard(value, ruleset);
    parts.push(" ");
    if (Array.isArray(value) && cards) parts.push(row(value, ruleset));
    else if (cards || /^cards?$/.test(name)) parts.push(...[value].flat().map((text) => card(String(text), ruleset)));
    else parts.push(`${words(name)} `, ...factValue(value, ruleset));
  }
  return parts;
}

/** Who won and who lost, as nodes and strings. */
export function result(result, game) {
  if (!result) return ["No result."];
  const names = (seats) => seats.flatMap((seat, n) => [n ? " and " : "", named(game, seat)]);
  const { winners = [], losers = [], reason } = result;
  const parts = winners.length ? [...names(winners), winners.length === 1 ? " wins" : " win"] : [];
  if (losers.length) parts.push(winners.length ? "; " : "", ...names(losers), losers.length === 1 ? " loses" : " lose");
  if (!parts.length) parts.push("Nobody wins");
  return [...parts, `${reason ? ` (${words(reason)})` : ""}.`];
}

/** [from, to, cards] for each pair of zones, with every card that any of the shown shares tells. */
function moved(entry) {
  const shares = Object.values(entry.private ?? {}).map((share) => share.transfers).filter(Boolean);
  const pairs = new Map();
  (entry.transfers ?? []).forEach(({ from, to, cards }, n) => {
    const seen = cards.map((text, i) => shares.reduce((found, share) => found ?? share[n]?.cards[i] ?? null, text));
    const key = `${from} ${to}`;
    if (!pairs.has(key)) pairs.set(key, [from, to, []]);
    pairs.get(key)[2].push(...seen);
  });
  return [...pairs.values()];
}

function zone(name, game) {
  if (name === null) return ["the deck"];
  const [label, seat] = place(name);
  return seat === null ? [label] : [named(game, seat), `: ${label}`];
}
