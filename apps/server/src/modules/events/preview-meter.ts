import type { MeterPreview, MeterPreviewInput } from "@turnpike/contract/events";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Aggregation } from "@turnpike/domain/catalog/meter";
import { AppError } from "@turnpike/domain/errors/app-error";
import { parseCloudEvent } from "@turnpike/domain/events/cloud-event";
import { fromScaled, toScaled } from "@turnpike/domain/events/decimal-value";
import {
  compileMeter,
  type Measurement,
  measureEvent,
} from "@turnpike/domain/events/measure-event";
import type { Transact } from "#platform/transact.ts";
import { decodeEventData } from "./decode-event-data.ts";
import { listRecentEvents, type StoredEvent } from "./events.store.ts";

/** Values shown of each dimension. */
const VALUES_MAX = 10;

/** An event to try, or why it is none. */
type Trial =
  | { ok: true; data: unknown; occurredAtMs: number; tieBreaker: string }
  | { ok: false; reason: string };
type Counted = { trial: Extract<Trial, { ok: true }>; measurement: Measurement };

/** An event that does not say when it occurred does so when it comes: after those that do. */
const NOW_MS = Number.POSITIVE_INFINITY;

function isLater(one: Counted["trial"], other: Counted["trial"]): boolean {
  return one.occurredAtMs === other.occurredAtMs
    ? one.tieBreaker > other.tieBreaker
    : one.occurredAtMs > other.occurredAtMs;
}

function toTrial(event: StoredEvent): Trial {
  return {
    ok: true,
    data: event.data === null ? undefined : JSON.parse(event.data),
    occurredAtMs: event.occurred_at.getTime(),
    tieBreaker: event.event_hash,
  };
}

/** Reads a given event as `POST /v1/events` does, as far as that is possible without its tenant and a clock. */
function readSample(value: unknown, place: number, eventType: string): Trial {
  const decoded = decodeEventData(value);
  const parsed = decoded.ok ? parseCloudEvent(decoded.value) : decoded;
  if (!parsed.ok) {
    return { ok: false, reason: parsed.rejection.reason };
  }
  const { type, data, timeMs } = parsed.event;
  return type === eventType
    ? { ok: true, data, occurredAtMs: timeMs ?? NOW_MS, tieBreaker: String(place).padStart(3, "0") }
    : { ok: false, reason: `The meter counts events of the type ${eventType}, not ${type}.` };
}

function aggregate(aggregation: Aggregation, counted: readonly Counted[]): string | null {
  const values = counted.map(({ measurement }) => toScaled(measurement.value ?? "0"));
  const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const last = sorted.at(-1);
  const sum = values.reduce((total, value) => total + value, 0n);
  switch (aggregation) {
    case "count":
      return String(counted.length);
    case "sum":
      return fromScaled(sum);
    case "unique_count":
      return String(new Set(counted.map(({ measurement }) => measurement.unique)).size);
    case "avg":
      return values.length === 0 ? null : fromScaled(sum / BigInt(values.length));
    case "min":
      return sorted[0] === undefined ? null : fromScaled(sorted[0]);
    case "max":
      return last === undefined ? null : fromScaled(last);
    case "latest":
      return (
        counted.reduce<Counted | undefined>(
          (newest, one) =>
            newest === undefined || isLater(one.trial, newest.trial) ? one : newest,
          undefined,
        )?.measurement.value ?? null
      );
  }
}

function topValues(counted: readonly Counted[], place: number) {
  const events = new Map<string, number>();
  for (const { measurement } of counted) {
    const value = measurement.dimensions[place] ?? "";
    events.set(value, (events.get(value) ?? 0) + 1);
  }
  return [...events]
    .map(([value, count]) => ({ value, events: count }))
    .sort((a, b) => b.events - a.events || (a.value < b.value ? -1 : 1))
    .slice(0, VALUES_MAX);
}

/**
 * Tries a meter on given events or on the newest of its type, of all tenants: what it would count, and what it could not.
 * Writes nothing.
 *
 * @throws {AppError} `INVALID_REQUEST` for a meter of calls; `INSUFFICIENT_SCOPE`.
 */
export async function previewMeter(
  deps: { transact: Transact },
  context: CallContext,
  { meter, limit, events: samples }: MeterPreviewInput,
): Promise<MeterPreview> {
  assertMay(context.actor, "catalog:write");
  const { eventType, aggregation, dimensions = [] } = meter;
  if (eventType === undefined) {
    const message = "Only meters of events can be tried: give an eventType.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/meter/eventType", message }],
    });
  }
  const compiled = compileMeter(meter, 0);
  const recorded =
    samples === undefined
      ? await deps.transact.asOperator((tx) => listRecentEvents(tx, { eventType, limit }))
      : [];
  const trials =
    samples?.map((value, place) => readSample(value, place, eventType)) ?? recorded.map(toTrial);
  const counted: Counted[] = [];
  let reason: string | null = null;
  for (const trial of trials) {
    if (!trial.ok) {
      reason ??= trial.reason;
      continue;
    }
    const measured = measureEvent([compiled], trial.data);
    const [measurement] = measured.ok ? measured.measurements : [];
    if (measurement !== undefined) {
      counted.push({ trial, measurement });
    } else if (!measured.ok) {
      reason ??= measured.rejection.reason;
    }
  }
  return {
    tried: trials.length,
    since: recorded.at(-1)?.recorded_at.toISOString() ?? null,
    counted: counted.length,
    value: aggregate(aggregation, counted),
    uncounted: trials.length - counted.length,
    reason,
    dimensions: dimensions.map(({ name }, place) => ({ name, values: topValues(counted, place) })),
  };
}
