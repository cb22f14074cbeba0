import { Calls } from "./calls.js";
import { connection, type Options } from "./connecting.js";
import { resources } from "./resources.js";

/** A client: every operation of the API is a method of a resource, such as `client.games.create`. */
export type CardReferee = ReturnType<typeof resources> & {
  /** Return a client with which the app acts as this player. */
  actingAs(player: string): CardReferee;
};

/**
 * Return a client for a server and an app key or a player's token; see `Options`. Every method rejects with ApiError if the API refuses
 * the request.
 */
export function cardReferee(token: string, url: string, options: Options = {}): CardReferee {
  const actingAs = (player: string) => cardReferee(token, url, { ...options, player });
  return { ...resources(new Calls(connection(url, token, options))), actingAs };
}
