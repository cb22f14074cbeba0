// Plays a whole game with the generated types: play.js URL APP_KEY URL APP_KEY RULESET SEATS SEED.
// The record is sent to the second server.
// Prints the end of the game as JSON. Types are narrowed by checks, never by casts.
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];
type Game = Schemas["Game"];
type Api = Client<paths>;

const client = (baseUrl: string, token: string): Api =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

/** Return the answer, or throw the problem in it. */
function got<T>(answer: { data?: T; error?: { title: string; detail: string } }): T {
  if (answer.data === undefined) throw new Error(`${answer.error?.title}: ${answer.error?.detail}`);
  return answer.data;
}

/** The same picks for the same seed. */
function chooser(seed: number): <T>(items: T[]) => T {
  let state = seed;
  return (items) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    const item = items[Math.floor((state / 2147483648) * items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  };
}

async function sitDown(url: string, host: Api, name: string): Promise<{ id: string; api: Api }> {
  const player = got(await host.POST("/v1/players", { body: { name } }));
  const path = { player: player.id };
  const shown = got(await host.POST("/v1/players/{player}/tokens", { params: { path }, body: {} }));
  return { id: player.id, api: client(url, shown.token) };
}

function newGame(ruleset: string, seats: Schemas["NewSeat"][]): Schemas["NewGame"] {
  switch (ruleset) {
    case "pies":
      return { ruleset, seats, options: { move_limit: 300 } };
    case "dog_cards":
      return { ruleset, seats, options: { turn_limit: 100 } };
    case "bisca":
    case "cats_and_dogs":
    case "landlord":
    case "mau_mau":
    case "palace":
    case "pedro":
    case "truco":
      return { ruleset, seats };
    default:
      throw new Error(`no such ruleset: ${ruleset}`);
  }
}

async function play(game: Game, players: Api[], choose: <T>(items: T[]) => T): Promise<[Game, number]> {
  const path = { game: game.id };
  let moves = 0;
  while (game.status === "running") {
    const player = players[game.to_act[0] ?? -1];
    if (!player) throw new Error("the game waits for nobody");
    const legal = got(await player.GET("/v1/games/{game}/legal-moves", { params: { path } }));
    const header = { "If-Match": `"${legal.version}"` };
    const listed: Schemas["Move"][] = legal.moves;
    const body = { move: choose(listed) };
    const done = got(await player.POST("/v1/games/{game}/moves", { params: { path, header }, body }));
    game = done.game;
    moves += 1;
  }
  return [game, moves];
}

/** Import a record elsewhere and download it there; return whether the log is the same and verifies. */
async function carryOver(record: Schemas["GameRecord"], elsewhere: Api): Promise<boolean> {
  const game = got(await elsewhere.POST("/v1/records", { body: record }));
  const path = { game: game.id };
  const again = got(await elsewhere.GET("/v1/games/{game}/record", { params: { path } }));
  const verified = got(await elsewhere.GET("/v1/games/{game}/verification", { params: { path } }));
  const same = JSON.stringify(again.entries) === JSON.stringify(record.entries);
  return verified.ok && game.origin === "imported" && same;
}

const [url = "", key = "", otherUrl = "", otherKey = "", ruleset = "", seats = "", seed = ""] = process.argv.slice(2);
const host = client(url, key);
const people: { id: string; api: Api }[] = [];
for (let n = 0; n < Number(seats); n++) people.push(await sitDown(url, host, `Player ${n}`));
const wanted = newGame(ruleset, people.map(({ id }) => ({ player: id })));
const begun = got(await host.POST("/v1/games", { body: wanted }));
const [game, moves] = await play(begun, people.map(({ api }) => api), chooser(Number(seed)));
const path = { game: game.id };
const record = got(await host.GET("/v1/games/{game}/record", { params: { path } }));
const verified = got(await host.GET("/v1/games/{game}/verification", { params: { path } }));
const ok = verified.ok && (await carryOver(record, client(otherUrl, otherKey)));
console.log(JSON.stringify({ status: game.status, moves, record: record.moves.length, ok }));
