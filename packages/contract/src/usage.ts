import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";

/** By what usage can be broken down. `total` gives one row. */
export const USAGE_DIMENSIONS = [
  "total",
  "status",
  "outcome",
  "key",
  "environment",
  "minute",
  "hour",
  "day",
] as const;

export const usageQuery = z.strictObject({
  tenantId,
  by: z.enum(USAGE_DIMENSIONS).default("total"),
  meter: z
    .string()
    .regex(SLUG_PATTERN, "Lower-case letters, digits and dashes.")
    .default("requests"),
  /** Inclusive; all that is kept when left out. */
  from: instant.optional(),
  /** Exclusive. */
  to: instant.optional(),
});

export const usageRow = z.strictObject({
  /** The value of the dimension: a status, an outcome, a key id, or an instant. */
  group: z.string(),
  calls: z.int(),
  /** Billable units, an exact decimal. */
  quantity: z.string(),
});

export const limits = z.strictObject({
  planId: z.string(),
  planVersion: z.number().int(),
  rateLimits: z.array(
    z.strictObject({ name: z.string(), limit: z.number(), windowSeconds: z.number() }),
  ),
  quotas: z.array(
    z.strictObject({
      meter: z.string(),
      environment: z.enum(["live", "test"]),
      kind: z.enum(["hard", "soft"]),
      limit: z.number(),
      /** Committed to the ledger in this period. */
      used: z.string(),
      /** In leases of running processes: part of what remains, spent through them. */
      leased: z.string(),
      /** May have been used by a process that crashed: blocks until the period ends, is never billed. */
      forfeited: z.string(),
      remaining: z.string(),
      periodStart: instant,
      resetAt: instant,
    }),
  ),
});

const tags = ["Usage"];

/** The most rows one usage query answers. */
export const USAGE_ROWS_MAX = 10_000;

export const usageContract = {
  query: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/usage",
      summary: "Usage of a tenant, from the ledger's rollups",
      tags,
    })
    .input(usageQuery)
    .output(
      z.strictObject({
        rows: z.array(usageRow).max(USAGE_ROWS_MAX),
        calls: z.int(),
        quantity: z.string(),
        /** True when there were more rows than one answer holds: narrow the range. */
        truncated: z.boolean(),
      }),
    ),
  limits: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/limits",
      summary: "Every limit of a tenant, with what is used and left",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(limits),
};
