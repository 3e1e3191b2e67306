import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { instant, keyId, tenantId } from "./shapes.ts";
import { usageQuery } from "./usage-query.ts";

/** The most calls in one event. */
export const LIVE_CALLS_BATCH_MAX = 500;

const { key, route, method, status, status_class, outcome, environment, model } = usageQuery.shape;

/** Filters of a tenant's live calls, the same as in usage queries. */
export const liveCallsQuery = z.strictObject({
  tenantId,
  key,
  route,
  method,
  status,
  status_class,
  outcome,
  environment,
  model,
});
export type LiveCallsQuery = z.output<typeof liveCallsQuery>;

export const tokenCounts = z.strictObject({
  /** Of the prompt, without those of a cache. */
  input: z.int(),
  cacheRead: z.int(),
  cacheWrite: z.int(),
  output: z.int(),
});

/** A finished call. It holds no address, no path as it was sent, and nothing from its bodies. */
export const liveCall = z.strictObject({
  /** Of the header `x-request-id`. */
  requestId: z.string(),
  /** When its outcome was known. */
  at: instant,
  keyId,
  environment: z.enum(ENVIRONMENTS),
  /** Empty, like the route, when only a key was verified. */
  method: z.string(),
  /** The template of the path. */
  route: z.string(),
  status: z.int(),
  outcome: z.string(),
  /** Milliseconds; null, like the bytes, where nothing was measured: refusals, verifications, forward auth. */
  latencyMs: z.number().nullable(),
  /** Bytes of the bodies. */
  bytesIn: z.int().nullable(),
  bytesOut: z.int().nullable(),
  /** The model that was asked, as usage is counted by it. Empty for other APIs than those that answer with tokens. */
  model: z.string(),
  /** Tokens that the call used, each in one kind alone. Null for other APIs, and for calls of which no token is billed. */
  tokens: tokenCounts.nullable(),
});
export type LiveCall = z.infer<typeof liveCall>;

/** The data of a `calls` event. */
export const liveCallsEvent = z.strictObject({
  calls: z.array(liveCall).max(LIVE_CALLS_BATCH_MAX),
  /** How many calls since the previous event were left out because they came too fast. */
  dropped: z.int(),
});
export type LiveCallsEvent = z.infer<typeof liveCallsEvent>;

/** The data of a `coverage` event, sent at the start and whenever it changes. */
export const liveCoverageEvent = z.strictObject({
  /** False while other processes cannot be heard and only calls of this process are sent. */
  isWhole: z.boolean(),
});
export type LiveCoverageEvent = z.infer<typeof liveCoverageEvent>;
