import { setImmediate as immediate } from "node:timers/promises";
import type { MeterPreview, MeterPreviewInput } from "@turnpike/contract/events";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Aggregation } from "@turnpike/domain/catalog/meter";
import { AppError } from "@turnpike/domain/errors/app-error";
import { parseCloudEvent } from "@turnpike/domain/events/cloud-event";
import {
  type CompiledMeter,
  compileMeter,
  type Measurement,
  measureEvent,
} from "@turnpike/domain/events/measure-event";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import type { Transact } from "#platform/transact.ts";
import { listRecentEvents, type StoredEvent } from "./events.store.ts";
import { decodeEventData } from "./ingest/decode-event-data.ts";

/** Values shown for each dimension. */
const VALUES_MAX = 10;
/** Data of recorded events in one preview. All of it is in memory at once. */
const DATA_BYTES_MAX = 4 * 1024 * 1024;
/** Events between two pauses that let other calls run: at most a megabyte of JSON. */
const EVENTS_IN_ONE_GO = 16;

type Moment = { occurredAtMs: number; tieBreaker: string };
/** An event to try, or why it is invalid. */
type Trial = ({ ok: true; data: unknown } & Moment) | { ok: false; reason: string };
/** The results, without the data they came from. */
type Counted = { moment: Moment; measurement: Measurement };

/** An event without a time occurs on arrival, after those with a time. */
const NOW_MS = Number.POSITIVE_INFINITY;

function isLater(one: Moment, other: Moment): boolean {
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

/** Reads a sample event as `POST /v1/events` does, apart from its tenant and time. */
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
            newest === undefined || isLater(one.moment, newest.moment) ? one : newest,
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

/** Tries events one by one, so that the parsed data of only one is in memory. */
async function tryEach(
  meter: CompiledMeter,
  events: readonly (() => Trial)[],
): Promise<{ counted: Counted[]; reason: string | null }> {
  const counted: Counted[] = [];
  let reason: string | null = null;
  for (const [place, read] of events.entries()) {
    if (place % EVENTS_IN_ONE_GO === EVENTS_IN_ONE_GO - 1) {
      await immediate();
    }
    const trial = read();
    if (!trial.ok) {
      reason ??= trial.reason;
      continue;
    }
    const { occurredAtMs, tieBreaker } = trial;
    const measured = measureEvent([meter], trial.data);
    const [measurement] = measured.ok ? measured.measurements : [];
    if (measurement !== undefined) {
      counted.push({ moment: { occurredAtMs, tieBreaker }, measurement });
    } else if (!measured.ok) {
      reason ??= measured.rejection.reason;
    }
  }
  return { counted, reason };
}

/**
 * Tries a meter on sample events or on the newest events of its type, over all tenants, up to 4 MB of data. Shows what it would
 * count and what it could not. Writes nothing.
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
    const message = "Only meters that count events can be tried: set an eventType.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/meter/eventType", message }],
    });
  }
  const recorded =
    samples === undefined
      ? await deps.transact.asOperator((tx) =>
          listRecentEvents(tx, { eventType, limit, bytesMax: DATA_BYTES_MAX }),
        )
      : [];
  const trials =
    samples?.map((value, place) => () => readSample(value, place, eventType)) ??
    recorded.map((event) => () => toTrial(event));
  const { counted, reason } = await tryEach(compileMeter(meter, 0), trials);
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
