import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Api } from "./connecting.js";
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
 * the id of the last event that is known already. A connection that breaks is made again, and what happened meanwhile comes
 * first: no event is missed, none comes twice.
 */
export async function* follow<T = Record<string, unknown>>(
  api: Api,
  path: string,
  { after, signal }: { after?: string | number; signal?: AbortSignal } = {},
): AsyncGenerator<StreamEvent<T>, void, undefined> {
  let last = after === undefined ? undefined : String(after);
  for (let fruitless = 0; ; fruitless++) {
    if (fruitless > 0) await pause(Math.min(100 * 2 ** fruitless, LONGEST_PAUSE), signal);
    signal?.throwIfAborted();
    const connection = new AbortController();
    const signals = signal ? [signal, connection.signal] : [connection.signal];
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (last !== undefined) headers["Last-Event-ID"] = last;
    const response = await api.fetch(api.url + path, { headers, signal: AbortSignal.any(signals) });
    if (response.status === 204 || response.body === null) return;
    try {
      for await (const event of events(response.body, connection)) {
        fruitless = -1;
        last = event.id ?? last;
        const data: T = JSON.parse(event.data);
        yield { id: event.id ?? "", type: event.event ?? "message", data };
      }
    } catch (fault) {
      if (signal?.aborted || fault instanceof ApiError || fault instanceof SyntaxError) throw fault;
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

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });
}
