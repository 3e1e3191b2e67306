import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";

export const limits = z.strictObject({
  planId: z.string(),
  planVersion: z.number().int(),
  /** The version that the tenant is on, which may be older than the current one or no longer offered. */
  plan: z.strictObject({
    name: z.string(),
    /** ISO 4217. */
    currency: z.string(),
    /** Price of one period, a decimal in major units. */
    pricePerMonth: z.string(),
  }),
  rateLimits: z.array(
    z.strictObject({ name: z.string(), limit: z.number(), windowSeconds: z.number() }),
  ),
  /** Calls through the gateway that may be under way at once, in each environment; null for no such limit of the plan. */
  concurrency: z.number().int().nullable(),
  quotas: z.array(
    z.strictObject({
      meter: z.string(),
      environment: z.enum(["live", "test"]),
      kind: z.enum(["hard", "soft"]),
      limit: z.number(),
      /** Committed to the ledger in this period. */
      used: z.string(),
      /** Held in leases of running processes, which may still spend them; included in the remaining units. */
      leased: z.string(),
      /** Reserved by open locks until they are settled, released or lapse. */
      locked: z.string(),
      /** Possibly used by a process that crashed: blocked until the period ends, never billed. */
      forfeited: z.string(),
      remaining: z.string(),
      periodStart: instant,
      resetAt: instant,
    }),
  ),
  /** Usage in this period of every additive meter, with or without a quota. Meters that are missing here were not used. */
  balances: z.array(
    z.strictObject({
      meter: z.string(),
      environment: z.enum(["live", "test"]),
      used: z.string(),
    }),
  ),
});

/** What remains. */
export const limitsContract = {
  limits: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/limits",
      summary: "List every limit of a tenant, with its usage and what is left",
      tags: ["Usage"],
    })
    .input(z.strictObject({ tenantId }))
    .output(limits),
};
