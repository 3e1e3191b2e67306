import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";
import { billingEvent } from "./subscriptions.ts";

export const billingClock = z.strictObject({
  tenantId,
  now: instant.describe("The time in the sandbox."),
  realNow: instant,
  aheadMs: z.number().int(),
  /** What happened on the way, oldest first. */
  events: z.array(billingEvent),
});
export type BillingClock = z.infer<typeof billingClock>;

const tags = ["Billing"];

/** The sandbox of one tenant. */
export const sandboxContract = {
  getClock: operation({ scope: "billing:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/sandbox/clock",
      summary: "Get the time in the sandbox of a tenant",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(billingClock),
  advanceClock: operation({ scope: "billing:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/sandbox/clock",
      summary: "Let time pass in the sandbox of a tenant",
      description:
        "Trials end, periods close, invoices are issued and reminders go, in order, as they would. At most two years at once. Only the environment `test` has a clock.",
      tags,
    })
    .input(z.strictObject({ tenantId, to: instant }))
    .output(billingClock),
};
