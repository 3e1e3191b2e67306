import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { parseJson } from "#platform/parse-json.ts";
import { EventRefused, type ProviderEvent } from "../payment-provider.ts";
import type { StripeSettings } from "./stripe-settings.ts";

/** What the webhook's endpoint is subscribed to. Charges are followed by their payments alone: two handlers would race. */
export const EVENT_TYPES = [
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
  "payment_intent.processing",
  "payment_intent.requires_action",
  "payment_intent.canceled",
  "setup_intent.succeeded",
  "charge.refunded",
  "charge.dispute.created",
  "charge.dispute.closed",
  "charge.dispute.funds_reinstated",
  "charge.dispute.funds_withdrawn",
  "refund.updated",
  "refund.failed",
] as const;

/** Older ones could be replayed. docs.stripe.com/webhooks/signature */
const TOLERANCE_MS = 300_000;
const REF_LENGTH_MAX = 255;

const event = z.object({
  id: z.string().regex(/^evt_[A-Za-z0-9_]{1,250}$/),
  object: z.literal("event"),
  type: z.string().max(100),
  livemode: z.boolean(),
  data: z.object({
    object: z.object({
      object: z.string(),
      id: z.string().max(REF_LENGTH_MAX).optional(),
      payment_intent: z
        .union([z.string().max(REF_LENGTH_MAX), z.looseObject({ id: z.string() })])
        .nullish(),
    }),
  }),
});

/** Of charges and disputes their payment; nothing else of the event is believed. */
export function toProviderEvent(raw: unknown): ProviderEvent {
  const { id, type, data } = event.parse(raw);
  const { object, payment_intent: intent, id: own = "" } = data.object;
  const isOfPayment = object === "charge" || object === "dispute";
  const payment = typeof intent === "string" ? intent : (intent?.id ?? "");
  return { eventId: id, type, objectRef: isOfPayment ? payment : own };
}

/** `t=<seconds>,v1=<hex>[,v1=<hex>…]`; signatures of other schemes are not looked at. */
function readHeader(header: string): { at: string; signatures: Buffer[] } {
  const parts = header.split(",").map((part) => part.trim().split("=", 2));
  const at = parts.find(([name]) => name === "t")?.[1] ?? "";
  return {
    at: /^\d{1,12}$/.test(at) ? at : "",
    signatures: parts
      .filter(([name, value]) => name === "v1" && /^[0-9a-f]{64}$/.test(value ?? ""))
      .map(([, value]) => Buffer.from(value ?? "", "hex")),
  };
}

/**
 * Checks an event's signature over the exact bytes, by Stripe's documented scheme: the official client would have to be loaded
 * into every thread that serves.
 *
 * @throws {EventRefused} For what is not signed with one of the secrets, is too old, or belongs to the other mode.
 */
export function parseStripeEvent(
  { webhookSecrets, environment }: StripeSettings,
  input: { rawBody: Uint8Array; headers: Headers; nowMs: number },
): ProviderEvent {
  const { at, signatures } = readHeader(input.headers.get("stripe-signature") ?? "");
  const isSigned = webhookSecrets.some((secret) => {
    const expected = createHmac("sha256", secret).update(`${at}.`).update(input.rawBody).digest();
    return signatures.some((signature) => timingSafeEqual(signature, expected));
  });
  if (at === "" || !isSigned) {
    throw new EventRefused("The event is not signed by Stripe with a known secret");
  }
  if (Math.abs(input.nowMs - Number(at) * 1000) > TOLERANCE_MS) {
    throw new EventRefused("The event was signed too long ago");
  }
  const parsed = event.safeParse(parseJson(Buffer.from(input.rawBody)));
  if (!parsed.success || parsed.data.livemode !== (environment === "live")) {
    throw new EventRefused(
      parsed.success ? "The event is of Stripe's other mode" : "This is no event of Stripe",
    );
  }
  return toProviderEvent(parsed.data);
}
