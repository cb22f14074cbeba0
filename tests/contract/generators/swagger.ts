// The client of swagger-typescript-api: an answer with a body, and one without.
import { Api } from "./swagger/api.js";

const [, , url = "", key = ""] = process.argv;
const client = new Api({ baseUrl: url, baseApiParams: { format: "json", headers: { Authorization: `Bearer ${key}` } } });
const made = await client.v1.createPlayer({ name: "Anna" });
const name: string = made.data.name;
const gone = await client.v1.deletePlayer(made.data.id);
console.log(name, gone.status, gone.ok);
await client.v1.deletePlayer(made.data.id).then(
  () => console.log("not refused"),
  (refused) => console.log(refused.error.type, refused.status),
);
