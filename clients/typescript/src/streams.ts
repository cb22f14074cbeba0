import { EventSourceParserStream } from "eventsource-parser/stream";
import { PASSING, sleep, type Connection } from "./connecting.js";
import { ApiError } from "./errors.js";

/** An event of a stream. A later `follow` can resume after `id`; `type` says what `data` is. */
export interface StreamEvent<T> {
  id: string;
  type: string;
  data: T;
}

const SILENCE = 60_000; // milliseconds; the server sends something every 15 seconds
const LONGEST_PAUSE = 10_000; // milliseconds between two connections without an event

/**
 * Iterate over a stream's events as they happen, until the server ends the stream.
 *
 * `path` is the path, with its query, of an operation that answers `text/event-stream`, such as `/v1/games/${game}/events`; `after` is the
 * id of the last event that you know. A broken connection is opened again, as often as necessary, and resumes where it ended: no event is
 * missed or repeated. Throws ApiError if the API refuses the request, and the error of `fetch` if the server cannot be reached at the
 * beginning.
 */
export async function* follow<T = Record<string, unknown>>(
  api: Connection,
  path: string,
  { after, signal }: { after?: string | number; signal?: AbortSignal } = {},
): AsyncGenerator<StreamEvent<T>, void, undefined> {
  let last = after === undefined ? undefined : String(after);
  let opened = false;
  for (let fruitless = 0; ; fruitless++) {
    if (fruitless > 0) await sleep(Math.min(100 * 2 ** fruitless, LONGEST_PAUSE), signal);
    signal?.throwIfAborted();
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (last !== undefined) headers["Last-Event-ID"] = last;
    try {
      const response = await api.fetch(api.url + path, { headers, signal: signal ?? null });
      if (response.status === 204 || response.body === null) return;
      if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) throw new TypeError("no event stream");
      opened = true;
      for await (const event of events(response.body, signal)) {
        fruitless = -1;
        last = event.id ?? last;
        const data: T = JSON.parse(event.data);
        yield { id: event.id ?? "", type: event.event ?? "message", data };
      }
    } catch (fault) {
      const passes = fault instanceof ApiError ? PASSING.has(fault.status) : !(fault instanceof SyntaxError);
      if (signal?.aborted || !opened || !passes) throw fault;
    }
  }
}

/**
 * The events of one connection, which is closed when the caller leaves or aborts, and if it is silent for too long. It is closed by its
 * reader, because a request whose answer has come may no longer hear its signal: Node forgets the link when it collects garbage.
 */
async function* events(body: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal | undefined) {
  let closed = false;
  const close = () => {
    closed = true;
    clearTimeout(silence);
    reader.cancel().catch(() => undefined);
  };
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, out) {
      clearTimeout(silence);
      if (!closed) silence = setTimeout(close, SILENCE);
      out.enqueue(chunk);
    },
  });
  const reader = body.pipeThrough(heard).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  let silence = setTimeout(close, SILENCE);
  signal?.addEventListener("abort", close);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
}
