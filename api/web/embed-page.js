// What a frame on another site shows: a public game, to look at. It knows no token and has no form.

import { TableApp } from "./app.js";
import { LiveGame } from "./live.js";

const game = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(location.pathname)[0].toLowerCase();
const app = new TableApp(document.getElementById("table"), { readonly: true });
app.open(new LiveGame(game, "")).catch((error) =>
  app.note(error.status === 404 ? "There is no such game, or it is not public." : error.message));
