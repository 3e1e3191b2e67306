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
  /** Null where an event has none that can be read. */
  source: z.string().nullable(),
  id: z.string().nullable(),
  status: z.enum(["accepted", "duplicate", "rejected"]),
  /** Of what is rejected. */
  code: z.enum(REJECTION_CODES).optional(),
  reason: z.string().optional(),
});
export type EventResult = z.infer<typeof eventResult>;

/** What became of the events of a request, after commit. */
export const eventReceipt = z.strictObject({
  accepted: z.int(),
  duplicates: z.int(),
  rejected: z.int(),
  /** One for each event, in their order; with `Prefer: return=minimal` those alone that were not accepted. */
  results: z.array(eventResult).max(EVENTS_MAX),
});
export type EventReceipt = z.infer<typeof eventReceipt>;

const rejectedEvent = z.strictObject({
  /** Null when the event names no tenant that there is. */
  tenantId: tenantId.nullable(),
  rejectedAt: instant,
  code: z.enum(REJECTION_CODES),
  reason: z.string(),
  source: z.string().nullable(),
  id: z.string().nullable(),
  type: z.string().nullable(),
  subject: z.string().nullable(),
  /** Kind and id of who sent it. */
  sentBy: z.string(),
  /** Names of the tenant and of the key that sent it; null where there is none to be seen. */
  tenantName: z.string().nullable(),
  senderName: z.string().nullable(),
});
export type RejectedEvent = z.infer<typeof rejectedEvent>;

/** What narrows a list of rejected events; it is looked for among the newest 100,000 from the cursor on. */
const rejectedFilters = {
  code: z.enum(REJECTION_CODES).optional(),
  /** A part of the type of the event. */
  type: z.string().min(1).max(256).optional(),
};

export const meterPreviewInput = z.strictObject({
  meter: meterInput,
  /** CloudEvents as JSON, as `POST /v1/events` takes them, that are tried instead; none of them is recorded. */
  events: z.array(z.unknown()).min(1).max(SAMPLES_MAX).optional(),
  limit: z
    .int()
    .min(1)
    .max(EVENTS_MAX)
    .default(1_000)
    .describe(
      "The newest events of its type that are tried, of all tenants; fewer where their data is more than 4 MB together. `tried` says how many.",
    ),
});
export type MeterPreviewInput = z.output<typeof meterPreviewInput>;

export const meterPreview = z.strictObject({
  /** Events that were tried, and when the oldest of them was recorded; null for given ones. */
  tried: z.int(),
  since: instant.nullable(),
  /** Events that the meter would count, and to what. */
  counted: z.int(),
  value: z.string().nullable(),
  /** What it could not count, with the reason of the first such event. */
  uncounted: z.int(),
  reason: z.string().nullable(),
  /** Values of each dimension, the most frequent first, at most ten. */
  dimensions: z.array(
    z.strictObject({
      name: z.string(),
      values: z.array(z.strictObject({ value: z.string(), events: z.int() })).max(10),
    }),
  ),
});
export type MeterPreview = z.infer<typeof meterPreview>;

/** What has come lately for the meters of events. */
const meterActivity = z.strictObject({
  meterId: z.string(),
  /** That occurred in the last 24 hours and were counted, over all tenants. */
  events: z.int(),
  /** When the newest event of its type was recorded; null when there was none in 35 days. */
  lastEventAt: instant.nullable(),
});
export type MeterActivity = z.infer<typeof meterActivity>;

const tags = ["Events"];

export const eventsContract = {
  listRejected: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/rejected-events",
      summary: "List events of a tenant that were rejected, the newest first",
      description: "Kept for 14 days, the newest 10,000 of each tenant.",
      tags,
    })
    .input(z.strictObject({ tenantId, ...rejectedFilters, ...pageQuery }))
    .output(pageOf(rejectedEvent)),
  listAllRejected: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/rejected-events",
      summary: "List rejected events, those of unknown tenants included, the newest first",
      description: "Kept for 14 days, the newest 10,000 of each tenant.",
      tags,
    })
    .input(z.strictObject({ ...rejectedFilters, ...pageQuery }))
    .output(pageOf(rejectedEvent)),
  meterActivity: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/meters/activity",
      summary: "What has come lately for the meters of events, over all tenants",
      tags: ["Catalogue"],
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(meterActivity).max(1000) })),
  previewMeter: operation({ scope: "catalog:write" })
    .route({
      method: "POST",
      path: "/meters/preview",
      summary: "Try a meter on recent events or on given ones, without publishing it",
      tags: ["Catalogue"],
    })
    .input(meterPreviewInput)
    .output(meterPreview),
};
