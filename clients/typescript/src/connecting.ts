import { ApiError, type Problem } from "./errors.js";
import { BY_TYPE } from "./problems.js";

/** Where the server is, and how to call it. */
export interface Connection {
  readonly url: string;
  readonly fetch: typeof fetch;
}

export interface Options {
  /** The id of one of the app's players, to act as that player. */
  player?: string;
  /** How often a request is repeated; 12 by default, which takes about a minute. */
  retries?: number;
  /** Milliseconds for one attempt; 60,000 by default. */
  timeout?: number;
  /** Sends requests instead of the global `fetch`. */
  fetch?: typeof fetch;
}

/** Statuses for which the next attempt may succeed (docs/guides/retries.md). */
export const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const LIMITED = 429;
const KEYED = new Set(["POST", "PUT"]);
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 30_000;
const LONGEST_ASKED = 3_600_000; // the longest time a server may ask for; a timer of more than 24 days would end at once

/**
 * Return a connection to a server with an app key or a player's token.
 *
 * A request that got no answer, or 408, 429, 500, 502, 503 or 504, is repeated with growing pauses (or after the time in Retry-After, at
 * most one hour), always with the same Idempotency-Key. A 429 does not count if it asks for at most one hour: the request waits,
 * however often it gets one, unless `retries` is 0. Throws TypeError for a URL without http:// or https://.
 */
export function connection(url: string, token: string, options: Options = {}): Connection {
  if (!/^https?:[/][/]/.test(url)) throw new TypeError(`The address of the server must begin with https:// or http://: ${url}`);
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
  if (options.player !== undefined) headers["Card-Referee-Player"] = options.player;
  const send = retrying(options);
  const authorized: typeof fetch = (input, init) => {
    const made = new Request(input, init);
    for (const [name, value] of Object.entries(headers)) made.headers.set(name, value);
    return send(made);
  };
  return { url: url.replace(/[/]+$/, ""), fetch: authorized };
}

function retrying({ retries = 12, timeout = 60_000, fetch: once = fetch }: Options): (request: Request) => Promise<Response> {
  return async (request) => {
    if (KEYED.has(request.method) && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", crypto.randomUUID());
    }
    for (let attempt = 0, limited = 0; ; attempt++) {
      const last = attempt >= retries || request.signal.aborted;
      const response = await attemptOnce(once, request, timeout).catch((fault: unknown) => {
        if (last || request.signal.aborted) throw fault;
        return null;
      });
      if (response?.ok || response?.status === 304) return response;
      const turn = response?.status === LIMITED && retries > 0 && !request.signal.aborted ? askedFor(response.headers.get("Retry-After")) : null;
      if (turn !== null && turn <= LONGEST_ASKED) {
        await sleep(turn + Math.random() * spread(turn, limited++), request.signal);
        request.signal.throwIfAborted();
        attempt--;
        continue;
      }
      if (response && (last || !PASSING.has(response.status))) throw await errorOf(response);
      await pause(attempt, response?.headers.get("Retry-After") ?? null, request.signal);
    }
  };
}

/** Send a request and read the whole answer, so that an interrupted one is repeated; a stream is read by its caller. */
function attemptOnce(once: typeof fetch, request: Request, timeout: number): Promise<Response> {
  return within(timeout, request.signal, async (signal) => {
    const response = await once(request.clone(), { signal });
    if (request.headers.get("Accept") === "text/event-stream") return response;
    const body = await response.arrayBuffer();
    const { status, statusText, headers } = response;
    return new Response(body.byteLength ? body : null, { status, statusText, headers });
  });
}

/**
 * Do something with a signal that aborts after a time, or with another signal. A timer and a listener hold it, because Node 20 forgets
 * what `AbortSignal.any` and `AbortSignal.timeout` return when it collects garbage.
 */
async function within<T>(milliseconds: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const inner = new AbortController();
  const abort = () => inner.abort(outer.reason);
  const timer = setTimeout(() => inner.abort(new DOMException("The server did not answer in time.", "TimeoutError")), milliseconds);
  if (outer.aborted) abort();
  outer.addEventListener("abort", abort);
  try {
    return await work(inner.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", abort);
  }
}

/** Return the error for an answer; a proxy's answer may have no problem in it. */
async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const unknown = { type: "about:blank", title: response.statusText, status: response.status, detail: text.slice(0, 200) };
  const problem: Problem = { ...unknown, ...members(text) };
  return new (BY_TYPE[problem.type] ?? ApiError)(problem, response.headers.get("X-Request-Id"));
}

function members(text: string): object {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}

/**
 * Return the longest random part of the wait for a rate limit. Requests that wait for the same limit get the same Retry-After, and only
 * some of them pass then, so it grows with each refusal.
 */
function spread(asked: number, refused: number): number {
  return Math.min(Math.max(asked, 1000) * 2 ** Math.min(refused, 10), LONGEST_PAUSE);
}

async function pause(attempt: number, retryAfter: string | null, signal: AbortSignal): Promise<void> {
  const asked = askedFor(retryAfter);
  const ours = Math.min(FIRST_PAUSE * 2 ** attempt * (0.5 + Math.random() / 2), LONGEST_PAUSE);
  // A little longer than asked for, so that not all clients return at once.
  await sleep(asked === null ? ours : Math.min(asked + ours * Math.random(), LONGEST_ASKED), signal);
  signal.throwIfAborted();
}

/** Return the milliseconds that Retry-After asks for, in seconds or as a date; null if it does not say. */
function askedFor(retryAfter: string | null): number | null {
  const given = retryAfter?.trim() ?? "";
  if (/^[0-9]+$/.test(given)) return Number(given) * 1000;
  const date = Date.parse(given);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

/** Wait for a time, or until the signal aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) return done();
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });
}
