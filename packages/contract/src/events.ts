import { REJECTION_CODES } from "@turnpike/domain/events/rejection";
import { SAMPLES_MAX } from "@turnpike/domain/events/samples-max";
import { z } from "zod";
import { meterInput } from "./catalog.ts";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, tenantId } from "./shapes.ts";

/** Limits of one request to `POST /v1/events`. */
export const EVENTS_MAX = 10_000;
export const EVENTS_BYTES_MAX = 4 * 1024 * 1024;
/** The most bytes of the data of one event. */
export const EVENT_DATA_BYTES_MAX = 64 * 1024;

const eventResult = z.strictObject({
  /** Null where the event has no such attribute, or one that cannot be read. */
  source: z.string().nullable(),
  id: z.string().nullable(),
  status: z.enum(["accepted", "duplicate", "rejected"]),
  /** The attributes of a rejected event. */
  code: z.enum(REJECTION_CODES).optional(),
  reason: z.string().optional(),
});
export type EventResult = z.infer<typeof eventResult>;

/** The outcome of a request with events, after commit. */
export const eventReceipt = z.strictObject({
  accepted: z.int(),
  duplicates: z.int(),
  rejected: z.int(),
  /** One for each event, in order; with `Prefer: return=minimal` only for events that were not accepted. */
  results: z.array(eventResult).max(EVENTS_MAX),
});
export type EventReceipt = z.infer<typeof eventReceipt>;

const rejectedEvent = z.strictObject({
  /** Null when the event names no existing tenant. */
  tenantId: tenantId.nullable(),
  rejectedAt: instant,
  code: z.enum(REJECTION_CODES),
  reason: z.string(),
  source: z.string().nullable(),
  id: z.string().nullable(),
  type: z.string().nullable(),
  subject: z.string().nullable(),
  /** Kind and id of the sender. */
  sentBy: z.string(),
  /** Names of the tenant and of the key that sent it; null where the caller may not see one. */
  tenantName: z.string().nullable(),
  senderName: z.string().nullable(),
});
export type RejectedEvent = z.infer<typeof rejectedEvent>;

/** Filters of a list of rejected events. Only the newest 100,000 from the cursor on are searched. */
const rejectedFilters = {
  code: z.enum(REJECTION_CODES).optional(),
  /** Part of the event type. */
  type: z.string().min(1).max(256).optional(),
};

export const meterPreviewInput = z.strictObject({
  meter: meterInput,
  /** Sample CloudEvents as JSON, in the format of `POST /v1/events`, to try instead of recorded events. They are not recorded. */
  events: z.array(z.unknown()).min(1).max(SAMPLES_MAX).optional(),
  limit: z
    .int()
    .min(1)
    .max(EVENTS_MAX)
    .default(1_000)
    .describe(
      "How many of the newest events of its type are tried, over all tenants; fewer where their data exceeds 4 MB in total. `tried` says how many.",
    ),
});
export type MeterPreviewInput = z.output<typeof meterPreviewInput>;

export const meterPreview = z.strictObject({
  /** How many events were tried, and when the oldest of them was recorded; null for sample events. */
  tried: z.int(),
  since: instant.nullable(),
  /** How many events the meter would count, and the result. */
  counted: z.int(),
  value: z.string().nullable(),
  /** How many events it could not count, and the reason for the first. */
  uncounted: z.int(),
  reason: z.string().nullable(),
  /** The most frequent values of each dimension, at most ten. */
  dimensions: z.array(
    z.strictObject({
      name: z.string(),
      values: z.array(z.strictObject({ value: z.string(), events: z.int() })).max(10),
    }),
  ),
});
export type MeterPreview = z.infer<typeof meterPreview>;

/** Recent activity of the meters that count events. */
const meterActivity = z.strictObject({
  meterId: z.string(),
  /** Events of the last 24 hours that were counted, over all tenants. */
  events: z.int(),
  /** When the newest event of its type was recorded; null if none was in the last 35 days. */
  lastEventAt: instant.nullable(),
});
export type MeterActivity = z.infer<typeof meterActivity>;

const tags = ["Events"];

export const eventsContract = {
  listRejected: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/rejected-events",
      summary: "List rejected events of a tenant, newest first",
      description: "Kept for 14 days, the newest 10,000 of each tenant.",
      tags,
    })
    .input(z.strictObject({ tenantId, ...rejectedFilters, ...pageQuery }))
    .output(pageOf(rejectedEvent)),
  listAllRejected: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/rejected-events",
      summary: "List rejected events, newest first, including those of unknown tenants",
      description: "Kept for 14 days, the newest 10,000 of each tenant.",
      tags,
    })
    .input(z.strictObject({ ...rejectedFilters, ...pageQuery }))
    .output(pageOf(rejectedEvent)),
  meterActivity: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/meters/activity",
      summary: "Get the recent activity of the meters that count events, over all tenants",
      tags: ["Catalogue"],
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(meterActivity).max(1000) })),
  previewMeter: operation({ scope: "catalog:write", worksWhenFull: true, largeBody: true })
    .route({
      method: "POST",
      path: "/meters/preview",
      summary: "Try a meter on recent or sample events without publishing it",
      tags: ["Catalogue"],
    })
    .input(meterPreviewInput)
    .output(meterPreview),
};
