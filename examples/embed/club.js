// Everything that a site needs: load the element from the referee's server, name a game, give it a token to play.

const $ = (id) => document.getElementById(id);
const given = new URLSearchParams(location.hash.slice(1));
if (given.get("server")) $("server").value = given.get("server");

async function list() {
  const response = await fetch(`${$("server").value}/v1/games?visibility=public&limit=20`);
  const { items } = await response.json();
  $("game").replaceChildren(...items.map(({ id, ruleset, status }) => new Option(`${ruleset}, ${status}`, id)));
  if (given.get("game")) $("game").append(new Option("the one in the address", given.get("game"), true, true));
}

async function show() {
  const server = $("server").value;
  await import(`${server}/web/embed.js`);
  const table = document.createElement("card-referee-table");
  table.setAttribute("game", $("game").value);
  const note = (words) => ($("note").textContent = words);
  table.addEventListener("card-referee-ready", () => note("The table is drawn."));
  table.addEventListener("card-referee-turn", () => note("It is your turn."));
  table.addEventListener("card-referee-finished", ({ detail }) => note(`Over: ${JSON.stringify(detail.result)}`));
  // Here a site asks its own server for another token, and sets it: table.token = token.
  table.addEventListener("card-referee-token-expired", () => note("The token has expired: give another one."));
  if ($("token").value) table.token = $("token").value;
  $("here").replaceChildren(table);
  const frame = document.createElement("iframe");
  frame.src = `${server}/embed/${$("game").value}`;
  frame.title = "The same game, in a frame";
  addEventListener("message", ({ source, data }) => {
    if (source === frame.contentWindow && data.type === "card-referee-size") frame.height = data.detail.height;
  });
  $("framed").replaceChildren(frame);
}

$("server").addEventListener("change", list);
$("choose").addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
list().then(() => $("game").value && show()).catch((error) => ($("note").textContent = `The server does not let this site in: ${error.message}`));
