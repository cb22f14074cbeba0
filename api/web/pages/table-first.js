// @ts-check
// Begins to load the game of a table while its other modules are still on their way, which takes seconds on a slow line.

import {tokenFor} from "../game/account.js";
import {gameHere} from "../game/client.js";
import {LiveGame} from "../game/live.js";
import {read, tokenOf} from "../game/storage.js";

const game = gameHere();
const given = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";

export const first = new LiveGame(game, read(tokenOf(game)) || given || tokenFor(game));
first.loading = first.load();
first.loading.catch(() => {}); // the table says what is wrong
