// Plays several games at once: `node load.mjs PORT` reads lines "GAMES SECONDS", and answers each with a line of JSON.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { Tricks } from "./game.mjs";

const require = createRequire(import.meta.url);
const { Client } = require("boardgame.io/client");
const { SocketIO } = require("boardgame.io/multiplayer");
const server = `http://localhost:${process.argv[2]}`;
const PLAYERS = 3;

const post = async (path, body) =>
  (await fetch(server + path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } })).json();

async function table() {
  const { matchID } = await post("/games/tricks/create", { numPlayers: PLAYERS });
  // Everybody joins before anybody connects, because a connection writes back the seats as it read them.
  const joined = [];
  for (let seat = 0; seat < PLAYERS; seat += 1) {
    joined.push(await post(`/games/tricks/${matchID}/join`, { playerID: String(seat), playerName: String(seat) }));
  }
  const clients = joined.map(({ playerCredentials: credentials }, seat) =>
    Client({ game: Tricks, numPlayers: PLAYERS, multiplayer: SocketIO({ server }), matchID, playerID: String(seat), credentials, debug: false }),
  );
  for (const client of clients) client.start();
  while (clients.some((client) => !client.getState())) await new Promise((done) => setTimeout(done, 5));
  return clients;
}

async function play(clients, seconds, latencies) {
  const end = performance.now() + seconds * 1000;
  let turn = Number(clients[0].getState().ctx.currentPlayer);
  while (performance.now() < end) {
    const client = clients[turn];
    const before = client.getState()._stateID;
    const begun = performance.now();
    const card = client.getState().G.hands[turn][0];
    await new Promise((done) => {
      const stop = client.subscribe((state) => {
        if (state && state._stateID > before) setTimeout(() => (stop(), done()), 0);
      });
      client.moves.play(card);
    });
    latencies.push((performance.now() - begun) / 1000);
    turn = (turn + 1) % PLAYERS;
    while (clients[turn].getState()._stateID <= before) await new Promise((done) => setTimeout(done, 0));
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [games, seconds] = line.split(" ").map(Number);
  const tables = [];
  for (let game = 0; game < games; game += 1) tables.push(await table());
  process.stdout.write("made\n");
  const latencies = [];
  await Promise.all(tables.map((clients) => play(clients, seconds, latencies)));
  for (const client of tables.flat()) client.stop();
  process.stdout.write(`${JSON.stringify(latencies)}\n`);
}
