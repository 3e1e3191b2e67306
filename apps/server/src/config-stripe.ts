import { findStripeKeyMistake } from "@turnpike/domain/billing/payments/stripe-key";
import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";

/** Payments by Stripe. Its keys come from the environment. */
export const stripeSection = z
  .strictObject({
    instance: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "Small letters, digits and dashes, at most 40.")
      .default("turnpike")
      .describe(
        "Tells the payments of several installations on one account at Stripe apart. What another one made is ignored. Never change it once there are payments.",
      ),
    apiUrl: z
      .url({ protocol: /^https?$/, error: "An address such as http://127.0.0.1:12111." })
      .refine((text) => !URL.canParse(text) || isLoopbackHost(new URL(text).hostname), {
        error: "Only an address of this machine: keys of Stripe are sent to Stripe alone.",
      })
      .optional()
      .describe(
        "Where a stand-in of Stripe's API is, for tests; on this machine only. Left out: Stripe.",
      ),
  })
  .prefault({});

/** What a webhook's endpoint is signed with; several, separated by commas, while one replaces another. */
const webhookSecrets = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ""))
  .refine(
    (secrets) => secrets.every((secret) => /^whsec_[A-Za-z0-9+/=_-]{8,}$/.test(secret)),
    "Secrets of Stripe's webhooks, which begin with whsec_, separated by commas.",
  );

const keyOf = (environment: "live" | "test") =>
  z.string().superRefine((key, context) => {
    const message = findStripeKeyMistake(key, environment);
    if (message !== undefined) {
      context.addIssue({ code: "custom", message });
    }
  });

/** The variables of the environment. */
export const stripeVariables = {
  TURNPIKE_STRIPE_KEY: keyOf("live").optional(),
  TURNPIKE_STRIPE_WEBHOOK_SECRET: webhookSecrets.optional(),
  TURNPIKE_STRIPE_TEST_KEY: keyOf("test").optional(),
  TURNPIKE_STRIPE_TEST_WEBHOOK_SECRET: webhookSecrets.optional(),
};
