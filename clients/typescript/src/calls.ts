/** The result of a call; if the API refuses, the call rejects with ApiError, so there is never an `error`. */
export interface Answer<T> {
  data?: T;
  response: Response;
}

/** A part of a list: `next` is the cursor of the page after it, null at the end. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

/** Return the answer of an operation. */
export async function got<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, response } = await answer;
  if (data === undefined) throw new Error(`the answer has no body: ${response.status}`);
  return data;
}

/**
 * Iterate over a whole list:
 * `items((cursor) => api.GET("/v1/games", { params: { query: { ...cursor, status: "running" } } }))`.
 */
export async function* items<T>(
  page: (query: { cursor?: string }) => Promise<Answer<Page<T>>>,
): AsyncGenerator<T, void, undefined> {
  let found = await got(page({}));
  for (;;) {
    yield* found.items;
    if (found.next === null) return;
    found = await got(page({ cursor: found.next }));
  }
}
