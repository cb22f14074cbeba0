// Opens a position at the page's table, from a source that needs no server.
async ({ game, entries, ruleset, legal, readonly }) => {
  const { TableApp } = await import("/web/table/app.js");
  const verdict = { legal: false, rule: "common.type", reason: "not now", link: "" };
  const source = {
    api: { origin: "", token: "" }, ruleset, newest: game,
    begin: async () => game, at: async () => game, refresh: async () => game,
    entries: async () => entries, legal: async () => legal, judge: async () => verdict,
    suggest: async () => ({ version: game.version, move: legal.moves[0] ?? null, transfers: [] }),
  };
  document.querySelector("#sign-in").hidden = true;
  window.app ??= new TableApp(document.querySelector("#table"), { isPage: true, readonly });
  await window.app.open(source);
  await window.app.complete();
  document.activeElement?.blur();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
