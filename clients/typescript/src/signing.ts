/** What is signed: the `type` of the resulting entry, the `seat`, and what the player chooses. */
export interface Action {
  type: string;
  seat: number;
  [chosen: string]: unknown;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(",")}}`;
}

/**
 * Return the member `signed` of a request, for a seat that was taken with a `public_key`.
 *
 * `key` is a private Ed25519 key, `commitment` is the game's, `previous` is its `head` as the player last saw it. For `moved` the
 * action has the `move`, for `vacation_taken` the `days`, for `replacement_agreed` the `replacement` (`seat`, `player`, `bot`), for
 * `orders` the `moves`, for `ending_agreed` the `ending`; nothing more for `resigned`, `take_back_requested`, `take_back_agreed` and `take_back_refused`.
 */
export async function signAction(
  key: CryptoKey,
  commitment: string,
  previous: string,
  action: Action,
): Promise<{ previous: string; signature: string }> {
  const message = new TextEncoder().encode(canonical({ action, game: commitment, previous }));
  const bytes = new Uint8Array(await crypto.subtle.sign("Ed25519", key, message));
  const signature = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { previous, signature };
}
