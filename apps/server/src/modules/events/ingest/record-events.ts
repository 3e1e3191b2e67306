import { AppError } from "@turnpike/domain/errors/app-error";
import { measureEvent } from "@turnpike/domain/events/measure-event";
import type { Rejection } from "@turnpike/domain/events/rejection";
import { withoutQuery } from "@turnpike/domain/privacy/redact";
import { periodAt } from "@turnpike/domain/time/period";
import type { TimeSlices } from "#platform/time-slices.ts";
import type { DimensionRegistry } from "./dimension-registry.ts";
import { type EventRow, hashEvent } from "./event-row.ts";
import type { EventWriter } from "./event-writer.ts";
import { type GoodEvent, reject, type Sender } from "./judge-event.ts";
import type { EventMeters, MeterCache } from "./meter-cache.ts";
import type { EventOutcome } from "./taken-event.ts";

export type RecordEventsDeps = {
  writer: Pick<EventWriter, "write">;
  meters: MeterCache;
  dimensions: DimensionRegistry;
};

/** Retries when meters change while events are measured. */
const STALE_MAX = 5;

function toRow(
  deps: RecordEventsDeps,
  good: GoodEvent,
  input: { meters: EventMeters; sender: Sender; now: Date },
): EventRow | Rejection {
  const { event, subject, data } = good;
  const meters = input.meters.byType.get(event.type);
  if (meters === undefined) {
    return reject("UNKNOWN_TYPE", "No meter counts events of this type.");
  }
  const measured = measureEvent(meters, event.data);
  if (!measured.ok) {
    return measured.rejection;
  }
  const nowMs = input.now.getTime();
  const period = periodAt(subject.periodAnchor, subject.periodUnit, input.now);
  return {
    hash: hashEvent(subject.tenantId, event.source, event.id),
    tenantId: subject.tenantId,
    key: input.sender?.key,
    // The identity hashes the source as it was sent. Its query string is not stored.
    source: withoutQuery(event.source),
    id: event.id,
    type: event.type,
    occurredAtMs: event.timeMs ?? nowMs,
    data,
    periodStartMs: period.start.getTime(),
    periodEndMs: period.end.getTime(),
    measurements: measured.measurements.map((measurement) => ({
      ...measurement,
      dimensions: deps.dimensions.keep(subject.tenantId, measurement, nowMs),
    })),
  };
}

/** Measures and writes; repeats with newer meters if they have changed in between. */
export async function recordEvents(
  deps: RecordEventsDeps,
  goods: readonly GoodEvent[],
  input: { sender: Sender; senderName: string; now: Date; slices: TimeSlices },
): Promise<EventOutcome[]> {
  for (let attempt = 1; attempt <= STALE_MAX; attempt += 1) {
    const meters = await deps.meters.get();
    const measured = await input.slices.map(goods, (good) =>
      toRow(deps, good, { ...input, meters }),
    );
    const rows = measured.filter((row) => "hash" in row);
    const { revision } = meters;
    // Needed even without a single countable event, because the meter that rejected it may have just changed.
    const written = await deps.writer.write({ sender: input.senderName, rows, revision });
    if (written !== "stale") {
      let place = 0;
      return measured.map((row) => {
        if (!("hash" in row)) {
          return row;
        }
        const isKnown = written[place] === true;
        place += 1;
        return isKnown ? "duplicate" : "accepted";
      });
    }
    deps.meters.forget();
  }
  throw new AppError({
    code: "OVERLOADED",
    publicMessage: "The meters change faster than events can be measured. Try again in a moment.",
    headers: { "retry-after": "1" },
  });
}
