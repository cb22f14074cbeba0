/** What a call of the client resolves to; refusals are rejections with ApiError, so `error` never comes. */
export interface Answer<T> {
  data?: T;
  response: Response;
}

/** A part of a list: `next` is the cursor of the page after it, null at the end. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

/** What an operation answered. */
export async function got<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, response } = await answer;
  if (data === undefined) throw new Error(`the answer has no body: ${response.status}`);
  return data;
}

/**
 * Iterate over the whole of a list:
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
