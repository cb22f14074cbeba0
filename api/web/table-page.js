// The page of one game: with the token of this tab, if there is one for it.

import { TableApp } from "./app.js";
import { text } from "./dom.js";
import { LiveGame } from "./live.js";
import { forget, forgetAll, isRemembered, prefer, preference, read, remember, tokenOf, write } from "./storage.js";

const $ = (id) => document.getElementById(id);
const game = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(location.pathname)[0].toLowerCase();
const app = new TableApp($("table"), { isPage: true });
app.oneTap = preference("one-tap");
app.extras = () => [
  [app.oneTap ? "Ask before playing a card" : "Play a card with one tap", () => switchOver("one-tap", () => (app.oneTap = !app.oneTap))],
  [preference("no-keys") ? "Switch keys on" : "Switch keys off", () => switchOver("no-keys", () => !preference("no-keys"))],
  ...(read(tokenOf(game)) ? [
    [isRemembered(tokenOf(game)) ? "Do not remember me on this device" : "Remember me on this device", () => {
      remember(tokenOf(game), !isRemembered(tokenOf(game)));
      app.panel.drawMenu();
    }],
    ["Forget my token for this game", () => leave(() => forget(tokenOf(game)))],
    ["Forget all tokens", () => leave(forgetAll)],
  ] : [["I have a token", () => showSignIn("")]]),
];

function switchOver(name, change) {
  prefer(name, change());
  app.panel.drawMenu();
}

function leave(how) {
  how();
  open();
}

function fragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token) write(tokenOf(game), token);
  if (location.hash) history.replaceState(null, "", location.pathname); // it is not to stay in the address bar
  return Number(given.get("version")) || 0;
}

async function open(version = 0) {
  $("sign-in").hidden = true;
  $("table").hidden = false;
  try {
    await app.open(new LiveGame(game, read(tokenOf(game))), version);
  } catch (error) {
    if (error.status === 401 || error.status === 404) {
      showSignIn(error.status === 404 ? "There is no such game, or not for you." : "Your token is not valid, or not any more.");
    } else app.note(error.message);
  }
}

function showSignIn(why) {
  $("sign-in").hidden = false;
  text($("why"), why);
  $("table").hidden = Boolean(why);
  $("token").focus();
}

$("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  write(tokenOf(game), $("token").value.trim());
  $("token").value = "";
  open();
});
addEventListener("hashchange", () => open(fragment()));
open(fragment());

