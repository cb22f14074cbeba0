// boardgame.io's server: `node server.mjs PORT [DATABASE_URL]`; in memory without a database.
import { createRequire } from "node:module";
import { Tricks } from "./game.mjs";

const { Server } = createRequire(import.meta.url)("boardgame.io/server");
const { PostgresStore } = createRequire(import.meta.url)("bgio-postgres");
const [port, database] = process.argv.slice(2);
const db = database && new PostgresStore(database, { logging: false, pool: { max: 20 } });
await Server({ games: [Tricks], origins: [/localhost/], ...(db && { db }) }).run({ port: Number(port), callback: () => {} });
process.stdout.write("ready\n");
