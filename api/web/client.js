// The API as this page uses it. The token goes into a header and nowhere else.

const PAGE = 200;
const PAUSES = [1, 2, 5, 10]; // seconds before trying again

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export function client(gameId, token) {
  const base = gameId ? `/v1/games/${gameId}` : "/v1/games";
  const authorization = token ? { Authorization: `Bearer ${token}` } : {};

  async function request(path, { accept = "application/json", signal, headers } = {}) {
    const response = await fetch(base + path, {
      headers: { Accept: accept, ...authorization, ...headers }, signal, credentials: "omit", cache: "no-store",
    });
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    throw new Problem(response.status, problem.detail ?? problem.title ?? `The server answers ${response.status}.`);
  }

  const json = async (path, options) => (await request(path, options)).json();

  /** Entries after `after` up to `last`, a page at a time. */
  async function entries(after, last = Infinity) {
    const found = [];
    for (;;) {
      const { items, next } = await json(`/events?after=${after + found.length}&limit=${PAGE}`);
      found.push(...items);
      if (next === null || !items.length || after + found.length >= last) return found;
    }
  }

  /** Give `take` every entry after `after` as it is committed, in order, until `signal` aborts. */
  async function follow(after, take, note, signal) {
    let seen = after;
    const each = (entry) => {
      if (entry.seq !== seen + 1) return; // told already
      seen = entry.seq;
      take(entry);
    };
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const headers = { "Last-Event-ID": String(seen) };
        const response = await request("/events", { accept: "text/event-stream", signal, headers });
        note("");
        if (response.status === 204) return; // the game is over, and all of it was told
        for await (const event of events(response.body)) {
          failures = 0;
          const data = event.data ? JSON.parse(event.data) : {};
          if ("seq" in data) each(data);
        }
      } catch (error) {
        if (signal.aborted || (error.status >= 400 && error.status < 429)) throw error;
        note("Connection lost; trying again …");
      }
      await new Promise((done) => setTimeout(done, 1000 * PAUSES[Math.min(failures, PAUSES.length - 1)]));
    }
  }

  return { json, entries, follow, list: () => json("?limit=20") };
}

/** Read server-sent events: `{id, event, data}` each. EventSource cannot send a token, so this is ours. */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = ""; // the end of a line is still to come
  let event = null; // its blank line is still to come
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (pending + value).split(/\r\n|\n|\r(?!$)/);
      pending = lines.pop();
      for (const line of lines) {
        if (line === "") {
          if (event) yield event;
          event = null;
          continue;
        }
        const [, name, text] = /^([^:]*):? ?(.*)$/.exec(line);
        if (!name) continue; // a comment: it only keeps the connection alive
        event ??= {};
        event[name] = name === "data" && "data" in event ? `${event.data}\n${text}` : text;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
