/** Client for Card Referee: a method for each operation of the API, typed from the specification. */
export type { components, operations, paths, webhooks } from "./api.js";
export type { Answered, Call, Item, Listing } from "./calls.js";
export { cardReferee, type CardReferee } from "./client.js";
export type { Options } from "./connecting.js";
export { ApiError, type Problem } from "./errors.js";
export * as errors from "./problems.js";
export { signAction, type Action } from "./signing.js";
export type { StreamEvent } from "./streams.js";
export { verifyWebhook, WebhookVerificationError, type Notice, type RequestHeaders } from "./webhooks.js";
