// The client of @hey-api/openapi-ts: an answer with a body, and one without.
import { client } from "./hey/client.gen.js";
import { createPlayer, deletePlayer } from "./hey/index.js";

const [, , url = "", key = ""] = process.argv;
client.setConfig({ baseUrl: url, auth: key });
const made = await createPlayer({ body: { name: "Anna" } });
if (!made.data) throw new Error(made.error.title);
const name: string = made.data.name;
const gone = await deletePlayer({ path: { player: made.data.id } });
console.log(name, gone.response?.status, gone.error === undefined);
const missing = await deletePlayer({ path: { player: made.data.id } });
console.log(missing.error?.type, missing.response?.status);
