import { t } from "@lingui/core/macro";
import type { Aggregation } from "@turnpike/domain/catalog/meter";
import { parseJsonPointer } from "@turnpike/domain/text/json-pointer";
import type { Choice } from "@turnpike/ui/choice";
import type { Meter } from "#platform/shared-queries.ts";

/** How usage becomes a number, in words. */
const AGGREGATION_WORDS: Readonly<Record<Aggregation, { label: string; note: string }>> = {
  count: { label: t`Count`, note: t`Each event counts as one. Can have quotas.` },
  sum: { label: t`Sum`, note: t`Adds up a number of 0 or more. Can have quotas.` },
  avg: { label: t`Average`, note: t`The mean of a number.` },
  min: { label: t`Minimum`, note: t`The smallest number.` },
  max: { label: t`Maximum`, note: t`The largest number.` },
  latest: { label: t`Latest`, note: t`The number of the event that occurred last.` },
  unique_count: { label: t`Unique count`, note: t`The number of distinct values.` },
};

export const AGGREGATION_CHOICES: readonly Choice<Aggregation>[] = (
  Object.keys(AGGREGATION_WORDS) as Aggregation[]
).map((value) => ({ value, ...AGGREGATION_WORDS[value] }));

export function toAggregationLabel(aggregation: Aggregation): string {
  return AGGREGATION_WORDS[aggregation].label;
}

/** What a meter counts in an event or a call: "Sum of /tokens". */
export function describeCounting(meter: Pick<Meter, "aggregation" | "valuePointer">): string {
  const label = toAggregationLabel(meter.aggregation);
  return meter.valuePointer === undefined ? label : t`${label} of ${meter.valuePointer}`;
}

/** The dimensions that usage can be broken down by, in words. */
export function describeDimensions(meter: Pick<Meter, "dimensions">): string {
  const names = (meter.dimensions ?? []).map(({ name }) => name);
  return names.length === 0 ? t`none` : names.join(", ");
}

type JsonObject = { [name: string]: JsonObject | string | number };

function isBranch(value: JsonObject | string | number | undefined): value is JsonObject {
  return typeof value === "object";
}

/** Sets the value at a pointer, creating objects only: an array index becomes a member name. */
function putAt(data: JsonObject, pointer: string, value: string | number): void {
  const path = parseJsonPointer(pointer);
  const last = path?.at(-1);
  if (path === undefined || last === undefined) {
    return;
  }
  let place = data;
  for (const step of path.slice(0, -1)) {
    const next = place[step];
    const branch = isBranch(next) ? next : {};
    place[step] = branch;
    place = branch;
  }
  place[last] = value;
}

/** Sample data that the meter can count. */
export function toSampleData(
  meter: Pick<Meter, "aggregation" | "valuePointer" | "dimensions">,
): JsonObject {
  const data: JsonObject = {};
  for (const { name, pointer } of meter.dimensions ?? []) {
    putAt(data, pointer, t`some ${name}`);
  }
  if (meter.valuePointer !== undefined) {
    putAt(data, meter.valuePointer, meter.aggregation === "unique_count" ? "user-1" : 42);
  }
  return data;
}

export type EventSample = { id: string; language: string; code: string; note: string };

/**
 * Programs that send a first event; each runs as it is, with a service key in the environment.
 *
 * @param input.subject - The event's tenant; undefined when the person belongs to none.
 */
export function toEventSamples(
  meter: Pick<Meter, "aggregation" | "valuePointer" | "dimensions" | "eventType">,
  input: { apiUrl: string; subject: string | undefined },
): readonly EventSample[] {
  const type = meter.eventType ?? "";
  const data = toSampleData(meter);
  const subject = input.subject ?? "TENANT_ID";
  const event = {
    specversion: "1.0",
    type,
    source: "/first-steps",
    id: "first-1",
    subject,
    data,
  };
  // A quote in a text must not end the string around it.
  const body = JSON.stringify(event, null, 2).replaceAll("'", "'\\''");
  const fields = { type, source: "/first-steps", subject, data };
  return [
    {
      id: "curl",
      language: "curl",
      code: `curl -H "Authorization: Bearer $SERVICE_KEY" \\
  -H "Content-Type: application/cloudevents+json" \\
  ${input.apiUrl}/v1/events -d '${body}'`,
      note: t`Events with the same id count once: change the id to send another event.`,
    },
    {
      id: "typescript",
      language: t`JavaScript`,
      code: `import { CloudEvent, emitterFor, httpTransport } from "cloudevents";

const emit = emitterFor(httpTransport("${input.apiUrl}/v1/events"));
await emit(new CloudEvent(${JSON.stringify(fields, null, 2)}), {
  headers: { authorization: \`Bearer \${process.env.SERVICE_KEY}\` },
});`,
      note: t`Needs the cloudevents package, which gives each event its own id.`,
    },
  ];
}
