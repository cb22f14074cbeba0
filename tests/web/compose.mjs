// Reads positions as lines of JSON; composes every listed move as a player would, and taps at random.
// Answers each with a line: moves that could not be composed, and moves that were offered without being listed.
import { createInterface } from "node:readline";
import { fieldsOf, keep, NOTHING, options, set, setType, tap, zonesOf } from "../../api/web/model/compose.js";

let state = 12345;
const below = (n) => (state = (state * 1103515245 + 12345) % 2147483648) % n;
const text = JSON.stringify;
const sorted = (move) => text(Object.entries(move).sort().map(([k, v]) => [k, Array.isArray(v) ? [...v].sort() : v]));

/** Act like a player who wants to make this move; return what is offered at the end. */
function compose(move, table) {
  let choice = NOTHING;
  const offered = options(choice, table);
  const hasText = Object.values(move).includes("...");
  if (hasText || offered.types.filter(({ move: direct }) => !direct).length > 1) choice = setType(choice, move.type, table);
  for (const [name, schema, kind] of fieldsOf(table.specs[move.type])) {
    if (!(name in move) || !["card", "cards", "place"].includes(kind)) continue;
    const zones = zonesOf(schema, move, table).filter((zone) => zone in table.zones);
    if (!zones.length) {
      choice = set(choice, { [name]: move[name] }, table);
      continue;
    }
    for (const value of [move[name]].flat()) {
      const pick = kind === "place" ? at(zones[0], value - (schema["x-base"] ?? 0), table) : lying(value, zones, choice, table);
      if (!pick) return `no ${value} to tap in ${zones}`;
      const before = choice.picks.length;
      const next = tap(choice, pick, table);
      if (!next) return `a tap on ${text(pick)} means nothing after ${text(choice)}`;
      choice = keep(next, table); // as the page does whenever it draws
      if (keep(choice, table) !== choice) return `another choice although nothing is lost of ${text(choice)}`;
      if (choice.picks.length <= before + 1) continue;
      for (const more of choice.picks) { // the first tap selected a whole rank: deselect the others
        if (more.zone !== pick.zone || more.index !== pick.index) choice = tap(choice, more, table);
      }
    }
  }
  for (let round = 0; round < 5; round++) {
    const found = options(choice, table);
    const ready = [...found.confirm, ...(found.dry ? [found.dry] : [])];
    const open = [...found.targets].find(([zone, { isChosen }]) => !isChosen && choice.picks.some((pick) => pick.zone === zone));
    if (open) return `asks for ${open[0]}, of which a card is chosen, after ${text(choice)}`;
    if (ready.some((one) => text(one) === text(move) || (table.complete && sorted(one) === sorted(move)))) return null;
    const target = [...found.targets].find(([, { values, isChosen }]) =>
      !isChosen && Object.entries(values).every(([name, value]) => move[name] === value));
    if (target) {
      choice = set(choice, target[1].values, table);
      continue;
    }
    const panel = found.fields.find(({ name, kind, value }) => name in move
      ? value !== move[name] && !(kind === "text" && value) : kind === "flag" && value === null);
    if (!panel) return `offered ${text(ready).slice(0, 300)}, asked ${text(found.fields.map(({ name }) => name))} after ${text(choice)}`;
    choice = set(choice, { [panel.name]: panel.kind === "text" ? "Hello" : move[panel.name] ?? false }, table);
    if (panel.kind === "text") move = { ...move, [panel.name]: "Hello" };
  }
  return `never came to an end: ${text(choice)}`;
}

const at = (zone, index, table) => ({ zone, index, card: Array.isArray(table.zones[zone]) ? table.zones[zone][index] : null });

function lying(card, zones, choice, table) {
  for (const zone of zones) {
    const index = (Array.isArray(table.zones[zone]) ? table.zones[zone] : []).findIndex((other, i) =>
      other === card && !choice.picks.some((pick) => pick.zone === zone && pick.index === i));
    if (index >= 0) return { zone, index, card };
  }
  return null;
}

/** Tap at random; every offered move must be listed, or marked as needing a dry run. */
function wander(table) {
  const listed = new Set(table.moves.map(sorted));
  let choice = NOTHING;
  for (let step = 0; step < 30; step++) {
    const found = options(choice, table);
    for (const move of found.confirm) {
      const free = "text" in move ? { ...move, text: "..." } : move;
      if (!listed.has(sorted(free))) return `offers ${text(move)}, which is not listed, after ${text(choice)}`;
    }
    for (const { move } of found.types) if (move && !listed.has(sorted(move))) return `a button for ${text(move)}`;
    if (text(keep(choice, table).picks) !== text(choice.picks)) return `does not keep what is there: ${text(choice)}`;
    const zones = Object.keys(table.zones);
    const kind = below(4);
    if (kind === 0 && found.types.length) choice = setType(choice, found.types[below(found.types.length)].type, table);
    else if (kind === 1 && found.fields.length) {
      const { name, values = [true, false], kind: sort } = found.fields[below(found.fields.length)];
      choice = set(choice, { [name]: sort === "text" ? "Hi" : values[below(values.length)] }, table);
    } else if (kind === 2 && found.targets.size) {
      choice = set(choice, [...found.targets.values()][below(found.targets.size)].values, table);
    } else {
      const zone = zones[below(zones.length)];
      const cards = table.zones[zone];
      const count = Array.isArray(cards) ? cards.length : cards.count;
      if (count) choice = tap(choice, at(zone, below(count), table), table) ?? choice;
    }
  }
  return null;
}

for await (const line of createInterface({ input: process.stdin })) {
  const table = JSON.parse(line);
  const failed = table.moves.filter((move) => Object.keys(move).length > 1).map((move) => [move, compose(move, table)])
    .filter(([, why]) => why).slice(0, 3);
  console.log(text({ failed, wandered: wander(table) }));
}
