/** Client for Card Referee: types generated from the specification, and what all calls have in common. */
export type { components, operations, paths, webhooks } from "./api.js";
export { got, items, type Answer, type Page } from "./calls.js";
export { connect, type Api, type Options } from "./connecting.js";
export { ApiError, type Problem } from "./errors.js";
export { signAction, type Action } from "./signing.js";
export { follow, type StreamEvent } from "./streams.js";
export { verifyWebhook, WebhookVerificationError, type Notice, type RequestHeaders } from "./webhooks.js";
