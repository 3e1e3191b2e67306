import { createHmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";
export const SECRET_BYTES = 32;

/** @param bytes - 24 to 64 from a cryptographic source. */
export function toWebhookSecret(bytes: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(bytes).toString("base64");
}

/**
 * Creates the headers by which a receiver verifies a message. With two secrets, either one verifies it.
 *
 * @param input.secrets - `whsec_` and base64.
 * @param input.at - The time of this attempt.
 * @see Standard Webhooks 1.0.
 */
export function signWebhook(input: {
  secrets: readonly string[];
  messageId: string;
  at: Date;
  body: string;
}): { "webhook-id": string; "webhook-timestamp": string; "webhook-signature": string } {
  const seconds = String(Math.floor(input.at.getTime() / 1_000));
  const signed = `${input.messageId}.${seconds}.${input.body}`;
  const signatures = input.secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    "webhook-id": input.messageId,
    "webhook-timestamp": seconds,
    "webhook-signature": signatures.join(" "),
  };
}
