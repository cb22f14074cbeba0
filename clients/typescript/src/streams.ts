import { EventSourceParserStream } from "eventsource-parser/stream";
import { PASSING, sleep, type Api } from "./connecting.js";
import { ApiError } from "./errors.js";

/** An event of a stream: `id` is what a later `follow` resumes after, `type` tells what `data` is. */
export interface StreamEvent<T> {
  id: string;
  type: string;
  data: T;
}

const SILENCE = 60_000; // milliseconds; the server says something every 15 seconds
const LONGEST_PAUSE = 10_000; // milliseconds between two connections that brought nothing

/**
 * Iterate over a stream's events as they happen, until the server says that there will be no more.
 *
 * `path` is an operation's that answers `text/event-stream`, such as `/v1/games/${game}/events`, with its query; `after` is
 * the id of the last event that is known already. A connection that breaks is made again, as often as it takes, and what
 * happened meanwhile comes first: no event is missed, none comes twice. Throws ApiError where the API refuses, and whatever
 * `fetch` throws where the server cannot be reached to begin with.
 */
export async function* follow<T = Record<string, unknown>>(
  api: Api,
  path: string,
  { after, signal }: { after?: string | number; signal?: AbortSignal } = {},
): AsyncGenerator<StreamEvent<T>, void, undefined> {
  let last = after === undefined ? undefined : String(after);
  let opened = false;
  for (let fruitless = 0; ; fruitless++) {
    if (fruitless > 0) await sleep(Math.min(100 * 2 ** fruitless, LONGEST_PAUSE), signal);
    signal?.throwIfAborted();
    const connection = new AbortController();
    const signals = signal ? [signal, connection.signal] : [connection.signal];
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (last !== undefined) headers["Last-Event-ID"] = last;
    try {
      const response = await api.fetch(api.url + path, { headers, signal: AbortSignal.any(signals) });
      if (response.status === 204 || response.body === null) return;
      if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) throw new TypeError("no event stream");
      opened = true;
      for await (const event of events(response.body, connection)) {
        fruitless = -1;
        last = event.id ?? last;
        const data: T = JSON.parse(event.data);
        yield { id: event.id ?? "", type: event.event ?? "message", data };
      }
    } catch (fault) {
      const passes = fault instanceof ApiError ? PASSING.has(fault.status) : !(fault instanceof SyntaxError);
      if (signal?.aborted || !opened || !passes) throw fault;
    } finally {
      connection.abort();
    }
  }
}

/** The events of one connection, which is given up where it has been silent for too long. */
async function* events(body: ReadableStream<Uint8Array<ArrayBuffer>>, connection: AbortController) {
  let silence = setTimeout(() => connection.abort(), SILENCE);
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, out) {
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), SILENCE);
      out.enqueue(chunk);
    },
  });
  try {
    const reader = body.pipeThrough(heard).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(silence);
  }
}
