// An app's day in one program: sign-up, a game, the embedded table, a webhook, a mirror, a verified record.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cardReferee, verifyWebhook } from "card-referee-client";

const { CARD_REFEREE_URL: address = "", CARD_REFEREE_KEY: key = "" } = process.env;
const client = cardReferee(key, address);
let secret = "";

// Where the notifications of the game arrive.
const receiver = createServer();
const finished = new Promise<void>((resolve) => {
  receiver.on("request", async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    console.log("notified of", verifyWebhook(secret, request.headers, body).type);
    response.writeHead(204).end();
    resolve();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const { port } = receiver.address() as AddressInfo;

// Sign-up: a player of ours, who has our own id.
const anna = await client.players.create({ name: "Anna", external_id: `user-${randomUUID()}` });

// A webhook that is told of every game's end, and a game with a bot.
const hook = await client.webhooks.create({ url: `http://127.0.0.1:${port}/`, events: ["game.finished"] });
secret = hook.secret ?? "";
const game = await client.games.create({
  ruleset: "cats_and_dogs",
  seats: [{ player: anna.id }, { bot: "random" }],
});

// The embedded table, for this player, this game and the next hour.
const token = await client.players.tokens.create(anna.id, { game: game.id, expires_in: "PT1H" });
console.log(`<script type="module" src="${address}/web/embed.js"></script>`);
console.log(`<card-referee-table game="${game.id}"></card-referee-table>`, token.expires_at);

// Anna plays; her moves could as well come from the table.
const me = client.actingAs(anna.id);
for (;;) {
  const { moves: [move], version } = await me.games.legalMoves(game.id);
  if (!move) break;
  await me.games.move(game.id, { move, version });
}

// The mirror: a copy of the log, entry by entry, from the feed of all our games.
let mirrored = 0;
for await (const { data } of client.events.follow({})) {
  if (!("game" in data) || data.game !== game.id) continue;
  mirrored += 1;
  if (data.entry.type === "finished") break;
}
const record = await client.games.record(game.id);
console.log("mirrored", mirrored, "of", record.entries?.length, "entries");
await finished;
console.log("verified", (await client.games.verify(game.id)).ok, "and notified", true);
process.exit();
