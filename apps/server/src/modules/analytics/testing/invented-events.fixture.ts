import { meterInput } from "@turnpike/contract/catalog";
import { AGGREGATIONS, type Aggregation } from "@turnpike/domain/catalog/meter";
import { compileMeter, measureEvent } from "@turnpike/domain/events/measure-event";
import { DAY_MS, MINUTE_MS } from "@turnpike/domain/time/zoned-buckets";
import { OPERATOR_CONTEXT, type TestServices } from "@turnpike/testkit/test-services";
import { createMeter } from "#modules/catalog/create-meter.ts";
import { updateMeter } from "#modules/catalog/update-meter.ts";
import { recordEvents } from "#modules/events/events.store.ts";
import { type EventRow, hashEvent } from "#modules/events/ingest/event-row.ts";
import { CHANGES_MS, makeDice, type Owner, type Some } from "./invented-calls.fixture.ts";
import type { ReferenceEvent } from "./usage-reference.fixture.ts";

const EVENT_TYPE = "llm.call";

/** A meter of each aggregation: `by-sum` is asked as `meter:by-sum`. */
export const METERS: ReadonlyMap<string, Aggregation> = new Map(
  AGGREGATIONS.map((aggregation) => [`by-${aggregation.replace("_", "-")}`, aggregation]),
);

/** What the versions keep: the second one keeps another part, before the first. */
const VERSIONS: Some<Some<string>> = [["model"], ["region", "model"]];

function definitionOf(meterId: string, version: number) {
  const aggregation = METERS.get(meterId) ?? "count";
  const pointer = aggregation === "unique_count" ? "/who" : "/value";
  return meterInput.parse({
    meterId,
    name: meterId,
    unit: "unit",
    aggregation,
    eventType: EVENT_TYPE,
    ...(aggregation === "count" ? {} : { valuePointer: pointer }),
    dimensions: (VERSIONS[version - 1] ?? []).map((name) => ({ name, pointer: `/${name}` })),
  });
}

/** Publishes the meters in both versions. */
export async function publishMeters(services: TestServices): Promise<void> {
  for (const meterId of METERS.keys()) {
    await createMeter(services, OPERATOR_CONTEXT, definitionOf(meterId, 1));
    const { dimensions = [] } = definitionOf(meterId, 2);
    await updateMeter(services, OPERATOR_CONTEXT, { meterId, dimensions });
  }
}

export type InventedEvent = ReferenceEvent & { version: 1 | 2 };

/** Makes up events of some tenants, within two days of each change of clocks; their values are exact as floats. */
export function inventEvents(owners: Some<Owner>, count: number): InventedEvent[] {
  const { roll, pick } = makeDice(11);
  return Array.from({ length: count }, (_, index): InventedEvent => {
    const owner = pick(owners);
    const version = pick([1, 2] as const);
    const all = { model: pick(["small", "large", "a:b,c"]), region: pick(["eu", "us", ""]) };
    return {
      tenant: owner.tenantId,
      plan: owner.plan,
      key: pick<ReferenceEvent["key"]>(["", ...owner.keys]),
      // No two at one instant: `latest` has one answer.
      atMs: pick(CHANGES_MS) - 2 * DAY_MS + roll(4 * 1_440) * MINUTE_MS + index,
      value: roll(4_000) / 4,
      who: `u${String(roll(30))}`,
      parts: version === 1 ? { model: all.model } : all,
      version,
    };
  });
}

/** Records the events as if each had come when its version was in force. */
export async function recordInvented(
  { transact, newId }: TestServices,
  events: readonly InventedEvent[],
): Promise<void> {
  const compiled = new Map(
    ([1, 2] as const).map((version) => [
      version,
      [...METERS.keys()].map((meterId) => compileMeter(definitionOf(meterId, version), version)),
    ]),
  );
  const rows = events.map((event, index): EventRow => {
    const data = { value: event.value, who: event.who, ...event.parts };
    const measured = measureEvent(compiled.get(event.version) ?? [], data);
    const id = String(index);
    return {
      hash: hashEvent(event.tenant, "/test", id),
      tenantId: event.tenant,
      key: event.key === "" ? undefined : { keyId: event.key, originKeyId: event.key },
      source: "/test",
      id,
      type: EVENT_TYPE,
      occurredAtMs: event.atMs,
      data: JSON.stringify(data),
      periodStartMs: Date.UTC(2026, 0, 1),
      periodEndMs: Date.UTC(2027, 0, 1),
      measurements: measured.ok ? measured.measurements : [],
    };
  });
  await transact.asMeter(async (tx) => {
    const revision = BigInt(2 * METERS.size);
    await recordEvents(tx, { batchId: newId("group"), revision, rows });
  });
}
