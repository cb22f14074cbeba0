import { Webhook } from "standardwebhooks";
import type { webhooks } from "./api.js";

/** A request to a webhook that Card Referee did not send, or sent too long ago. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

type Body<T> = T extends { post: { requestBody: { content: { "application/json": infer Content } } } } ? Content : never;

/** What a webhook is told. */
export type Notice = Body<webhooks[keyof webhooks]>;

/**
 * Return the notice that a request to a webhook brought.
 *
 * `secret` is the webhook's, `headers` and `body` are the request's, the body exactly as it came. The same notice may come more
 * than once: `webhook-id` tells. Throws WebhookVerificationError where it was not signed with the secret, or more than five
 * minutes ago.
 */
export function verifyWebhook(secret: string, headers: Record<string, string>, body: string): Notice {
  try {
    new Webhook(secret).verify(body, headers);
  } catch (cause) {
    throw new WebhookVerificationError(String(cause), { cause });
  }
  const notice: Notice = JSON.parse(body);
  return notice;
}
