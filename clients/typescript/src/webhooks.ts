import { Webhook } from "standardwebhooks";
import type { webhooks } from "./api.js";

/** The error for a request to a webhook that Card Referee did not send, or sent too long ago. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

type Body<T> = T extends { post: { requestBody: { content: { "application/json": infer Content } } } } ? Content : never;

/** What is sent to a webhook. */
export type Notice = Body<webhooks[keyof webhooks]>;

/** Headers of Fetch or of Node. */
export type RequestHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Return the notice in a request to a webhook.
 *
 * `secret` is the webhook's, `headers` and `body` are the request's; the body must be exactly as it was received. The same notice may be
 * received more than once, with the same `webhook-id`. Throws WebhookVerificationError if it was not signed with the secret, or more than
 * five minutes ago. A TypeError (the body was parsed already, or there is no secret) is an error of the receiver.
 */
export function verifyWebhook(secret: string, headers: RequestHeaders, body: string | Uint8Array): Notice {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new TypeError("Give the body as it came, as bytes or text, before anything parsed it.");
  }
  if (!secret) throw new TypeError("A webhook has a secret: none was given.");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  try {
    new Webhook(secret).verify(text, plain(headers));
  } catch (cause) {
    throw new WebhookVerificationError(String(cause), { cause });
  }
  const notice: Notice = JSON.parse(text);
  return notice;
}

function plain(headers: RequestHeaders): Record<string, string> {
  const found: Record<string, string> = {};
  const add = (value: string | string[] | undefined, name: string) => {
    if (value !== undefined) found[name] = String(value);
  };
  if (headers instanceof Headers) headers.forEach(add);
  else Object.entries(headers).forEach(([name, value]) => add(value, name));
  return found;
}
