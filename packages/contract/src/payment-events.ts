import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { environment } from "./environment.ts";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery } from "./shapes.ts";

export const failedPaymentEvent = z.strictObject({
  eventId: z.string().describe("The provider's own id."),
  provider: z.string(),
  environment: z.enum(ENVIRONMENTS),
  type: z.string(),
  objectRef: z.string().describe("What it is about, by the provider's id."),
  receivedAt: instant,
  tries: z.number().int(),
  failure: z.string().describe("Why it could not be applied, the last time."),
  isGivenUp: z.boolean().describe("True for one that is tried once a day only."),
  nextTryAt: instant.nullable(),
});
export type FailedPaymentEvent = z.infer<typeof failedPaymentEvent>;

const tags = ["Billing"];

/** What providers of payments have reported and could not be applied: for the operator. */
export const paymentEventsContract = {
  listFailedPaymentEvents: operation({ scope: "invoices:read" })
    .route({
      method: "GET",
      path: "/payment-events/failed",
      summary: "List what a provider of payments reported and could not be applied, newest first",
      description: "Each is tried again by itself: ever later, and after two days once a day.",
      tags,
    })
    .input(z.strictObject({ environment, ...pageQuery }))
    .output(pageOf(failedPaymentEvent)),
  retryPaymentEvents: operation({ scope: "invoices:write" })
    .route({
      method: "POST",
      path: "/payment-events/retries",
      summary: "Try again now what a provider of payments reported and could not be applied",
      description: "The oldest 50. What each is about is fetched from the provider and applied.",
      tags,
    })
    .input(z.strictObject({ environment }))
    .output(
      z.strictObject({
        applied: z.number().int(),
        failed: z.number().int(),
        left: z.number().int().describe("How many wait now, those that failed among them."),
      }),
    ),
};
