import { toGrouped } from "../../text/to-grouped.ts";
import type { MeterDefinition } from "../meter.ts";
import { type CatalogChange, diffFacts, type Facts, toFacts, valueFact } from "./fact.ts";

function toMeterFacts(meter: MeterDefinition): Facts {
  const { name, unit, aggregation, eventType, valuePointer, dimensions = [], valueMax } = meter;
  const read = dimensions.map(({ name: dimension, pointer }) => `${dimension} at ${pointer}`);
  return toFacts({
    name: valueFact("name", name, `"${name}"`),
    unit: valueFact("unit", unit, `"${unit}"`),
    aggregation: valueFact("aggregation", aggregation),
    eventType: eventType === undefined ? undefined : valueFact("event type", eventType),
    valuePointer: valuePointer === undefined ? undefined : valueFact("value at", valuePointer),
    dimensions:
      read.length === 0 ? undefined : valueFact("dimensions", dimensions, read.join(", ")),
    valueMax:
      valueMax === undefined
        ? undefined
        : valueFact("highest value", valueMax, toGrouped(valueMax)),
  });
}

/** Compares two versions of a meter. */
export function diffMeters(before: MeterDefinition, after: MeterDefinition): CatalogChange[] {
  return diffFacts(toMeterFacts(before), toMeterFacts(after));
}
