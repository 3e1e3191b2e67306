import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { instant, keyId, tenantId } from "./shapes.ts";
import { usageQuery } from "./usage.ts";

/** The most calls that one event tells of. */
export const LIVE_CALLS_BATCH_MAX = 500;

const { key, route, method, status, status_class, outcome, environment } = usageQuery.shape;

/** Which calls of a tenant are told: filters as of questions about usage. */
export const liveCallsQuery = z.strictObject({
  tenantId,
  key,
  route,
  method,
  status,
  status_class,
  outcome,
  environment,
});
export type LiveCallsQuery = z.output<typeof liveCallsQuery>;

/** A call as it is told once it is over: no address, no path as it was sent, nothing of its bodies. */
export const liveCall = z.strictObject({
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
  /** Milliseconds; null, like the bytes, where nothing was measured: denials, verifications, forward auth. */
  latencyMs: z.number().nullable(),
  /** Bytes of the bodies. */
  bytesIn: z.int().nullable(),
  bytesOut: z.int().nullable(),
});
export type LiveCall = z.infer<typeof liveCall>;

/** The data of an event `calls`. */
export const liveCallsEvent = z.strictObject({
  calls: z.array(liveCall).max(LIVE_CALLS_BATCH_MAX),
  /** Calls since the event before that came faster than they could be told. */
  dropped: z.int(),
});
export type LiveCallsEvent = z.infer<typeof liveCallsEvent>;

/** The data of an event `coverage`: sent at the beginning and when it changes. */
export const liveCoverageEvent = z.strictObject({
  /** False while only calls that this process served are told, because others are not heard. */
  isWhole: z.boolean(),
});
export type LiveCoverageEvent = z.infer<typeof liveCoverageEvent>;
