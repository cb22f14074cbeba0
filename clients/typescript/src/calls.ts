import type { operations } from "./api.js";
import type { Connection } from "./connecting.js";
import { follow, type StreamEvent } from "./streams.js";

/** The names of the operations. */
export type Id = keyof operations;

type Defined<T> = Exclude<T, undefined>;
type Json<T> = T extends { content: { "application/json": infer Value } } ? Value : never;
type Text<T> = T extends { content: infer Content } ? ("application/json" extends keyof Content ? never : string) : never;
type Successes<T> = T extends { responses: infer R } ? { [K in keyof R]: K extends 200 | 201 | 202 ? R[K] : never }[keyof R] : never;
type Query<K extends Id> = Defined<operations[K]["parameters"]["query"]>;
type Body<K extends Id> = operations[K] extends { requestBody?: infer B } ? OneKind<Json<Defined<B>>> : never;

type Members<T> = T extends unknown ? keyof T : never;
/** A value of a union without the members of its other kinds: a seat has a player or a bot, never both. */
type OneKind<T, All = T> = T extends readonly (infer Inner)[]
  ? OneKind<Inner>[]
  : T extends object
    ? { [K in keyof T]: OneKind<T[K]> } & { [K in Exclude<Members<All>, keyof T>]?: undefined }
    : T;

type Shown = { ruleset: string; view: unknown };
type View<G extends Shown> = Extract<G["view"], { ruleset: string }>;
/** A game of each ruleset with its own view, so that `game.ruleset` tells which `game.view` there is. */
type OfRuleset<G extends Shown> = {
  [R in View<G>["ruleset"]]: Omit<G, "ruleset" | "view"> & { ruleset: R; view: Extract<View<G>, { ruleset: R }> | null };
}[View<G>["ruleset"]];
type Narrowed<T> = T extends Shown ? OfRuleset<T> : T extends { game: infer G extends Shown } ? Omit<T, "game"> & { game: OfRuleset<G> } : T;

/** What an operation answers: a value, a text, or nothing. */
export type Answered<K extends Id> = [Successes<operations[K]>] extends [never]
  ? undefined
  : Narrowed<Json<Successes<operations[K]>>> | Text<Successes<operations[K]>>;

/** The parameters of an operation's query. */
export type Parts<K extends Id> = [Query<K>] extends [never] ? Always : Partial<Query<K>> & Always;

/** The items of a list. */
export type Item<K extends Id> = Answered<K> extends { items: readonly (infer T)[] } ? T : never;

/** A list: iterated, page after page, or read page by page. */
export interface Listing<K extends Id> extends AsyncIterable<Item<K>> {
  /** Return one page: `items`, and in `next` the cursor of the next page, null at the end. */
  page(cursor?: string | number): Promise<Answered<K>>;
}

interface Always {
  /** Ends the call, and its waiting between attempts, when it is aborted. */
  signal?: AbortSignal;
}

interface Changing extends Always {
  /** Act only if the game still has this version (or this ETag, or hash of the last entry). */
  version?: number | string;
  /** Made for each call; give your own to repeat a call after a restart. */
  idempotencyKey?: string;
}

/** What a call is given: the members of the body, the parameters of the query, and what every call takes. */
export type Call<K extends Id> = ([Body<K>] extends [never] ? unknown : Body<K>) &
  ([Query<K>] extends [never] ? unknown : Partial<Query<K>>) &
  Changing;

type Given = Record<string, unknown>;

const OURS = new Set(["signal", "version", "idempotencyKey"]);
const NEWEST = 200; // answers that a client keeps to ask whether they are still the newest

/** Sends the requests of a client. */
export class Calls {
  readonly #kept = new Map<string, { tag: string; text: string }>();

  constructor(readonly connection: Connection) {}

  /** Send a request, and return its answer. Rejects with ApiError if the API refuses it. */
  async call<T>(method: string, path: string, query: string[], call: object): Promise<T> {
    const given: Given = { ...call };
    const url = this.connection.url + path + inQuery(given, (name) => query.includes(name));
    const headers: Record<string, string> = {};
    if (given["version"] !== undefined) headers["If-Match"] = tagged(given["version"]);
    if (typeof given["idempotencyKey"] === "string") headers["Idempotency-Key"] = given["idempotencyKey"];
    const members = Object.entries(given).filter(([name]) => !OURS.has(name) && !query.includes(name));
    const init: RequestInit = { method, headers };
    if (given["signal"] instanceof AbortSignal) init.signal = given["signal"];
    if (members.length > 0) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(Object.fromEntries(members));
    }
    const kept = method === "GET" ? this.#kept.get(url) : undefined;
    if (kept !== undefined) headers["If-None-Match"] = kept.tag;
    const response = await this.connection.fetch(url, init);
    if (response.status === 304 && kept !== undefined) return JSON.parse(kept.text) as T; // each caller may change its own
    const text = await response.text();
    if (text === "") return undefined as T;
    if (!response.headers.get("Content-Type")?.includes("json")) return text as T;
    const tag = response.headers.get("ETag");
    if (method === "GET" && tag !== null) this.#keep(url, tag, text);
    return JSON.parse(text) as T;
  }

  /** Return a list. */
  list<K extends Id>(path: string, call: object): Listing<K> {
    const query = [...Object.keys(call).filter((name) => !OURS.has(name)), "cursor"];
    const page = (cursor?: string | number) => this.call<Answered<K>>("GET", path, query, cursor === undefined ? call : { ...call, cursor });
    async function* items(): AsyncGenerator<Item<K>, void, undefined> {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const read = (await page(cursor)) as { items: Item<K>[]; next: string | null };
        yield* read.items;
        cursor = read.next;
      }
    }
    return { page, [Symbol.asyncIterator]: items };
  }

  /** Iterate over the events of a stream, which resumes by itself after interruptions. */
  follow<T>(path: string, call: object): AsyncGenerator<StreamEvent<T>, void, undefined> {
    const { after, signal, ...query } = call as { after?: string | number; signal?: AbortSignal };
    const since = { ...(after === undefined ? {} : { after }), ...(signal === undefined ? {} : { signal }) };
    return follow<T>(this.connection, path + inQuery(query, () => true), since);
  }

  #keep(url: string, tag: string, text: string): void {
    this.#kept.delete(url);
    this.#kept.set(url, { tag, text });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= NEWEST) return;
      this.#kept.delete(oldest);
    }
  }
}

function inQuery(given: Given, isIn: (name: string) => boolean): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (!isIn(name) || value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Return an If-Match header for a version, an ETag, or the hash of an entry. */
function tagged(version: unknown): string {
  const text = String(version);
  return text.endsWith('"') || text === "*" ? text : `"${text}"`;
}
