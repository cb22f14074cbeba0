// Reads logs as lines of JSON, and answers with the texts of every entry, title and chip.
import { createInterface } from "node:readline";
import { badges, chips, completedTrick, laidBy, result, title, zonesOf } from "../../api/web/model/model.js";
import { learn } from "../../api/web/texts.js";
import { sentences, transfers, zoneWords } from "../../api/web/model/sentences.js";

const plain = (parts) => parts.map((part) => {
  if (typeof part === "string") return part;
  if (part.cards) return part.cards.map((id) => id ?? "hidden").join(" ");
  return part.name ?? part.said ?? part.suit;
}).join("");

for await (const line of createInterface({ input: process.stdin })) {
  const { games, entries, ruleset } = JSON.parse(line);
  learn(ruleset.words);
  const told = [];
  const log = [];
  const tricks = [];
  entries.forEach((entry, i) => {
    const game = games[Math.min(i, games.length - 1)];
    const lines = sentences(entry, game, null, ruleset).map(plain);
    told.push(...lines);
    if (entry.type === "moved") log.push(lines[0]);
    for (const [from, to, cards] of transfers(entry)) told.push(plain([...zoneWords(from, game), " ", ...zoneWords(to, game), { cards }]));
    const trick = completedTrick(entry, entries.slice(0, i));
    if (trick) tricks.push({ ...trick, won_by: entry.won_by ?? null });
  });
  for (const game of games) {
    told.push(plain(title(game, null, ruleset)));
    for (const { label, parts } of chips(game, ruleset)) told.push(label, plain(parts));
    game.seats.forEach((_, seat) => told.push(...badges(game, seat, ruleset)));
    for (const zone of zonesOf(game, ruleset)) told.push(zone.label, zone.kind, String(laidBy(zone.name, zone.cards, entries).length));
    if (game.result) told.push(plain(result(game.result, game)));
  }
  console.log(JSON.stringify({ told, log, tricks }));
}
