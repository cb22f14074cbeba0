// The page: which game, as whom, which version; everything shown comes from the API with the reader's token.

import { client } from "./client.js";
import { element, words } from "./cards.js";
import { result, summary, tell, zonesTouched } from "./story.js";
import { drawFacts, drawTable, named, time } from "./table.js";
import { verifyHere, verifyThere } from "./checks.js";

const TOKEN = "card-referee-token";
const STEP = 900; // milliseconds a version when replaying
const SHOWN_AT_FIRST = 200; // entries; the rest on demand
const AROUND = 50; // entries told before the one that somebody looks at
const KEPT = 500; // versions remembered

const $ = (id) => document.getElementById(id);
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const gameId = UUID.exec(location.pathname)?.[0] ?? null;

let api, stop; // the client, and what ends everything that the last sign-in began
let newest = null; // the game as it is now
let shown = null; // the game as it is drawn
let following = true; // draw the newest whenever it changes
let player = null; // the timer of a replay
let refreshing = false;
let wanted = 0; // the version to be drawn, and whether its being fetched is under way
let going = false;
const entries = new Map();
const versions = new Map();

function token() {
  const given = fragment("token");
  if (given) {
    sessionStorage.setItem(TOKEN, given);
    history.replaceState(null, "", location.pathname); // it is not to stay in the address bar
  }
  return sessionStorage.getItem(TOKEN) ?? "";
}

function fragment(name) {
  return new URLSearchParams(location.hash.slice(1)).get(name);
}

function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = !text;
}

// --- as somebody, from the beginning ---------------------------------------------------------------

async function open() {
  stop?.abort();
  stop = new AbortController();
  const { signal } = stop;
  const version = Number(fragment("version"));
  api = client(gameId, token());
  newest = shown = null;
  following = true;
  entries.clear();
  versions.clear();
  pause();
  trouble("");
  $("log").replaceChildren();
  $("checks").replaceChildren();
  $("verdict").textContent = "";
  $("game").hidden = true;
  try {
    newest = await api.json("", { signal });
    $("who-now").textContent = token() ? signedIn(newest) : "none, as anybody";
    await tellLog(Math.max(0, newest.version - SHOWN_AT_FIRST));
    $("game").hidden = false;
    wanted = newest.version;
    draw(newest);
    $("log").scrollTop = $("log").scrollHeight;
    if (version) await goTo(version);
    if (!isOver(newest)) await api.follow(lastSeq(), arrived, trouble, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (error.status === 401) $("who").open = true;
    trouble(error.status === 404 ? "There is no such game, or not for this token." : error.message);
    if (error.status === 404) $("who").open = true;
  }
}

function signedIn(game) {
  const seats = game.viewer.seats;
  return seats.length ? `you hold seat ${seats.join(", ")}` : "given, you hold no seat here";
}

// --- without a game: which ones there are -----------------------------------------------------------

async function offer() {
  trouble("");
  $("who-now").textContent = token() ? "given" : "none, as anybody";
  try {
    const { items } = await client("", token()).list();
    $("offered").replaceChildren(...items.map((game) => element("li", {},
      element("a", { href: `/watch/${game.id}` }, words(game.ruleset)), ` ${game.status}, `,
      ...game.seats.flatMap((_, seat) => [seat ? ", " : "", named(game, seat)]), " · ", time(game.updated_at))));
    $("offer").hidden = !items.length;
  } catch (error) {
    trouble(error.message);
  }
}

// --- the log ----------------------------------------------------------------------------------------

async function tellLog(after) {
  const found = await api.entries(after, (lastSeq() && Math.min(...entries.keys()) - 1) || Infinity);
  const lines = found.filter((entry) => !entries.has(entry.seq)).map((entry) => {
    entries.set(entry.seq, entry);
    return line(entry);
  });
  $("log").prepend(...lines);
  $("earlier").hidden = after === 0;
}

function line(entry) {
  const made = tell(entry, newest);
  // Not a stop for the Tab key: with a keyboard the slider leads to every moment without hundreds of stops.
  const jump = element("button", { type: "button", class: "jump", title: "Show this moment", tabindex: "-1",
    "aria-label": `Show version ${entry.seq}` }, String(entry.seq));
  jump.addEventListener("click", () => goTo(entry.seq));
  made.prepend(jump);
  return made;
}

function lastSeq() {
  return entries.size ? Math.max(...entries.keys()) : 0;
}

/** An entry was committed: tell it, and draw the table anew if nobody looks at the past. */
function arrived(entry) {
  entries.set(entry.seq, entry);
  const log = $("log");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  log.append(line(entry));
  if (atEnd) log.scrollTop = log.scrollHeight;
  refresh(stop.signal);
}

/** Fetch the game as it is now: once for however many entries came meanwhile. */
async function refresh(signal) {
  if (refreshing) return;
  refreshing = true;
  try {
    do newest = await api.json("", { signal }); while (newest.version < lastSeq());
    if (following) {
      wanted = newest.version;
      draw(newest);
    } else drawReplay();
  } catch (error) {
    if (!signal.aborted) trouble(error.message);
  } finally {
    refreshing = false;
  }
  if (isOver(newest) && newest.version === lastSeq()) stop.abort();
}

function isOver(game) {
  return !["open", "running"].includes(game.status);
}

// --- one version ------------------------------------------------------------------------------------

/** Draw a version. While an older one is on its way only the last wish is remembered: a slider makes many. */
async function goTo(version) {
  wanted = Math.max(1, Math.min(version, newest.version));
  following = wanted === newest.version;
  drawReplay();
  if (going) return;
  going = true;
  try {
    while (shown.version !== wanted) {
      const game = wanted === newest.version ? newest : await past(wanted);
      if (!entries.has(game.version)) await tellLog(Math.max(0, game.version - AROUND));
      draw(game);
    }
  } catch (error) {
    pause();
    trouble(error.message);
    wanted = shown.version;
    drawReplay();
  } finally {
    going = false;
  }
}

async function past(version) {
  if (!versions.has(version)) {
    if (versions.size >= KEPT) versions.delete(versions.keys().next().value);
    versions.set(version, await api.json(`?version=${version}`));
  }
  return versions.get(version);
}

function draw(game) {
  shown = game;
  const entry = entries.get(game.version);
  const over = game.view?.result ?? game.result;
  $("heading").textContent = words(game.ruleset).replace(/^./, (first) => first.toUpperCase());
  document.title = `${$("heading").textContent} · Card Referee`;
  $("banner").hidden = !over && game.status !== "cancelled";
  $("banner").replaceChildren(...(over ? result(over, game) : ["The game is called off."]));
  const deadlines = game.seats.map((seat) => seat.deadline).filter(Boolean).sort();
  $("facts-line").replaceChildren(
    `${game.status} · ${game.view ? `phase ${words(game.view.phase)}` : "not begun"} · ${game.visibility}`,
    ...(deadlines.length && !over ? [" · next deadline ", time(deadlines[0])] : []), " · ",
    element("a", { href: `/docs/rules/${game.ruleset}` }, "rules"));
  $("moment").replaceChildren(...(entry && entry.type !== "finished" ? [summary(entry, game)] : []));
  drawTable($("table"), game, zonesTouched(entry));
  drawFacts($("facts").querySelector("dl"), game);
  for (const marked of $("log").querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
  const current = $("log").querySelector(`[data-seq="${game.version}"]`);
  current?.setAttribute("aria-current", "step");
  if (current && !following) $("log").scrollTop = current.offsetTop - $("log").clientHeight / 2;
  drawReplay();
}

function drawReplay() {
  const text = `${wanted} of ${newest.version}`;
  $("slider").max = newest.version;
  $("slider").value = wanted;
  $("slider").setAttribute("aria-valuetext", `version ${text}`);
  $("version").textContent = text;
  $("newest").setAttribute("aria-pressed", String(following));
  $("first").disabled = $("back").disabled = wanted <= 1;
  $("forward").disabled = wanted >= newest.version;
}

// --- replaying --------------------------------------------------------------------------------------

function pause() {
  clearTimeout(player);
  player = null;
  $("play").textContent = "Play";
  $("play").setAttribute("aria-pressed", "false");
}

async function play() {
  $("play").textContent = "Pause";
  $("play").setAttribute("aria-pressed", "true");
  if (shown.version >= newest.version) await goTo(1);
  const step = async () => {
    await goTo(shown.version + 1);
    if (following) pause();
    else if (player) player = setTimeout(step, STEP);
  };
  player = setTimeout(step, STEP);
}

/** Hand the record over as a file: a plain link could not bring the token along. */
async function save() {
  const record = new Blob([JSON.stringify(await api.json("/record"))], { type: "application/json" });
  const link = element("a", { href: URL.createObjectURL(record), download: `${gameId}.json` });
  link.click();
  URL.revokeObjectURL(link.href);
}

function connect() {
  const moving = (to) => () => {
    pause();
    goTo(to());
  };
  $("first").addEventListener("click", moving(() => 1));
  $("back").addEventListener("click", moving(() => wanted - 1));
  $("forward").addEventListener("click", moving(() => wanted + 1));
  $("newest").addEventListener("click", moving(() => newest.version));
  $("slider").addEventListener("input", moving(() => Number($("slider").value)));
  $("play").addEventListener("click", () => (player ? pause() : play()));
  $("earlier").addEventListener("click", () => {
    const from = Math.min(...entries.keys()) - 1;
    tellLog(Math.max(0, from - SHOWN_AT_FIRST)).catch((error) => trouble(error.message));
  });
  const checks = { verdict: $("verdict"), list: $("checks") };
  $("verify").addEventListener("click", () => verifyHere(api, entries, { button: $("verify"), ...checks }));
  $("ask").addEventListener("click", () => verifyThere(api, { button: $("ask"), ...checks }));
  $("save").addEventListener("click", () => save().catch((error) => trouble(error.message)));
}

$("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, $("token").value.trim());
  $("token").value = "";
  if (gameId) open();
  else offer();
});
$("sign-out").addEventListener("click", () => {
  sessionStorage.removeItem(TOKEN);
  if (gameId) open();
  else offer();
});
$("choose").addEventListener("submit", (event) => {
  event.preventDefault();
  const found = UUID.exec($("game-id").value)?.[0];
  if (found) location.assign(`/watch/${found}`);
  else trouble("That holds no id of a game.");
});

addEventListener("hashchange", () => gameId && open()); // a link with a token, followed on this very page
if (gameId) {
  open();
  connect();
} else {
  token();
  $("choose").hidden = false;
  offer();
}
