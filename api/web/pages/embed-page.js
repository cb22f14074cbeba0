// What a frame on another site shows: a public game, without tokens and forms.

import {TableApp} from "../table/app.js";
import {gameHere, why} from "../game/client.js";
import {LiveGame} from "../game/live.js";

const game = gameHere();
const app = new TableApp(document.getElementById("table"), {readonly: true});
app.open(new LiveGame(game, "")).catch(error => app.note(why(error)));
