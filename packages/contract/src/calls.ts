import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { liveCall, liveCallsQuery } from "./live-calls.ts";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, tenantId } from "./shapes.ts";
import { allUsageQuery } from "./usage-query.ts";

/** As the header `x-request-id` of the answer has it. */
export const requestId = z
  .string()
  .refine((value) => isId("request", value), {
    error: "Not the id of a request; it looks like req_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["req_0199f3b0c1d27a4e8f60112233445566"] });

/** A finished call as it was. It holds no address, no path as it was sent, and nothing from its bodies. */
export const recordedCall = z.strictObject({
  ...liveCall.shape,
  /** The meter that it counts for, and how many billable units: 0 for a call that was not billed. */
  meterId: z.string(),
  units: z.int(),
});
export type RecordedCall = z.infer<typeof recordedCall>;

/** Which calls are asked for. Times are when a call began, `[from, to)`. */
export const recordedCallsQuery = z.strictObject({
  ...liveCallsQuery.shape,
  requestId: requestId.optional(),
  from: instant.optional(),
  to: instant.optional(),
  ...pageQuery,
});
export type RecordedCallsQuery = z.output<typeof recordedCallsQuery>;

export const recordedCalls = z.strictObject({
  ...pageOf(recordedCall).shape,
  /** How far back this page has looked. A page may be empty and have a next one: each looks through a bounded number of calls. */
  searchedFrom: instant,
  /** Calls that began earlier are kept no longer. */
  keptFrom: instant,
  /** How many calls of the range came faster than calls are kept. They are counted and billed, and cannot be found. */
  omitted: z.int(),
});
export type RecordedCalls = z.infer<typeof recordedCalls>;

const { tenantId: _ofOne, ...ofAnyTenant } = recordedCallsQuery.shape;

/** Which calls of all tenants are asked for. */
export const allCallsQuery = z.strictObject({
  ...ofAnyTenant,
  tenant: allUsageQuery.shape.tenant,
});
export type AllCallsQuery = z.output<typeof allCallsQuery>;

/** A call with the tenant whose key made it. */
export const tenantCall = z.strictObject({
  ...recordedCall.shape,
  tenantId,
  /** Null for a tenant of which nothing is left. */
  tenantName: z.string().nullable(),
});
export type TenantCall = z.infer<typeof tenantCall>;

export const tenantCalls = z.strictObject({
  ...pageOf(tenantCall).shape,
  /** How far back this page has looked. A page may be short, or empty, and have a next one: each looks for a bounded time. */
  searchedFrom: instant,
  /** Calls that began earlier are kept no longer. */
  keptFrom: instant,
  /** How many calls of all tenants in this range are not logged, because the log could not take them. They are counted and billed. */
  omitted: z.int(),
});
export type TenantCalls = z.infer<typeof tenantCalls>;

const tags = ["Usage"];

export const callsContract = {
  list: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/calls",
      summary: "Search the recent calls of a tenant, newest first",
      tags,
    })
    .input(recordedCallsQuery)
    .output(recordedCalls),
  get: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/calls/{requestId}",
      summary: "Get a recent call by the id of its request",
      tags,
    })
    .input(z.strictObject({ tenantId, requestId }))
    .output(recordedCall),
  listAll: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/calls",
      summary: "Search every call of all tenants, newest first; for operators",
      description:
        "Needs the log of calls in ClickHouse (`clickhouse.callsDays`). Calls of deleted tenants are included until nothing is left of them.",
      tags,
    })
    .input(allCallsQuery)
    .output(tenantCalls),
};
