// The client of orval: an answer with a body, and one without.
import { createPlayer, deletePlayer } from "./orval/api.js";

const [, , url = "", key = ""] = process.argv;
const real = globalThis.fetch;
globalThis.fetch = (path, options) => real(url + String(path), options); // the functions know only paths
const options = { headers: { Authorization: `Bearer ${key}` } };
const made = await createPlayer({ name: "Anna" }, options);
if (made.status !== 201) throw new Error(made.data.title);
const name: string = made.data.name;
const gone = await deletePlayer(made.data.id, options);
console.log(name, gone.status, gone.status === 204);
const missing = await deletePlayer(made.data.id, options);
if (missing.status !== 404) throw new Error("not refused");
console.log(missing.data.type, missing.status);
