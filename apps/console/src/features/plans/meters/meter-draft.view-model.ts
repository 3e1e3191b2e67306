import { t } from "@lingui/core/macro";
import type { Aggregation } from "@turnpike/domain/catalog/meter";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import type { ApiClient } from "#platform/api-client.ts";
import type { Meter } from "#platform/shared-queries.ts";
import { describeDimensions, toAggregationLabel } from "./meter.view-model.ts";

type MeterInput = Parameters<ApiClient["catalog"]["createMeter"]>[0];
type MeterChange = Parameters<ApiClient["catalog"]["updateMeter"]>[0];

export type DimensionRow = { rowId: number; name: string; pointer: string };

/** Calls are counted by the gateway and by verification; events are sent by programs. */
export type MeterSource = "events" | "calls";

/** The text typed into the form of a meter. */
export type MeterDraft = {
  meterId: string;
  /** False while the id follows the name. */
  isIdTyped: boolean;
  name: string;
  unit: string;
  source: MeterSource;
  aggregation: Aggregation;
  eventType: string;
  valuePointer: string;
  dimensions: readonly DimensionRow[];
};

const ID_LENGTH_MAX = 40;

/** A name as an id: "Input tokens" is `input-tokens`. */
export function toMeterId(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, ID_LENGTH_MAX)
    .replace(/-+$/, "");
}

/** @param meter - The one being edited; undefined for a new one. */
export function toMeterDraft(meter: Meter | undefined): MeterDraft {
  return {
    meterId: meter?.meterId ?? "",
    isIdTyped: meter !== undefined,
    name: meter?.name ?? "",
    unit: meter?.unit ?? "",
    source: meter === undefined || meter.eventType !== undefined ? "events" : "calls",
    aggregation: meter?.aggregation ?? "sum",
    eventType: meter?.eventType ?? "",
    valuePointer: meter?.valuePointer ?? "",
    dimensions: (meter?.dimensions ?? []).map(({ name, pointer }, rowId) => ({
      rowId,
      name,
      pointer,
    })),
  };
}

export function addDimension(rows: readonly DimensionRow[]): readonly DimensionRow[] {
  const rowId = Math.max(-1, ...rows.map((row) => row.rowId)) + 1;
  return [...rows, { rowId, name: "", pointer: "" }];
}

/** Calls have neither a type nor data, and can only be counted or added up. */
export function hasValue({ source, aggregation }: MeterDraft): boolean {
  return source === "events" && aggregation !== "count";
}

/** Converts a draft to the API's input. The API checks it, and its errors are shown at their fields. */
export function toMeterInput(draft: MeterDraft): MeterInput {
  const { source } = draft;
  const valuePointer = draft.valuePointer.trim();
  const dimensions = draft.dimensions.map(({ name, pointer }) => ({
    name: name.trim(),
    pointer: pointer.trim(),
  }));
  return {
    meterId: draft.meterId.trim(),
    name: draft.name.trim(),
    unit: draft.unit.trim(),
    aggregation: draft.aggregation,
    ...(source === "events" && { eventType: draft.eventType.trim() }),
    // An empty pointer would mean the whole data, which an empty field does not.
    ...(hasValue(draft) && valuePointer !== "" && { valuePointer }),
    ...(source === "events" && dimensions.length > 0 && { dimensions }),
  };
}

/** The update of a meter, with everything that can be changed. */
export function toMeterChange(draft: MeterDraft): MeterChange {
  const { aggregation: _, dimensions, ...input } = toMeterInput(draft);
  return { ...input, ...(draft.source === "events" && { dimensions: dimensions ?? null }) };
}

/** The same for a rehearsal, which needs no name yet. */
export function toPreviewInput(draft: MeterDraft): MeterInput {
  const input = toMeterInput(draft);
  return {
    ...input,
    meterId: SLUG_PATTERN.test(input.meterId) ? input.meterId : "new-meter",
    name: input.name || t`Preview`,
    unit: input.unit || "unit",
  };
}

export type MeterDifference = { label: string; from: string; to: string };

function describeParts(dimensions: MeterInput["dimensions"] = []): string {
  const parts = dimensions.map(({ name, pointer }) => `${name} (${pointer})`);
  return parts.length === 0 ? describeDimensions({}) : parts.join(", ");
}

/** What a version would change, in the words of the form; empty when nothing would. */
export function listDifferences(before: Meter, draft: MeterDraft): readonly MeterDifference[] {
  const after = toMeterInput(draft);
  const rows = [
    { label: t`Name`, from: before.name, to: after.name },
    { label: t`Unit`, from: before.unit, to: after.unit },
    { label: t`Event type`, from: before.eventType ?? "", to: after.eventType ?? "" },
    { label: t`Value`, from: before.valuePointer ?? "", to: after.valuePointer ?? "" },
    {
      label: t`Dimensions`,
      from: describeParts(before.dimensions),
      to: describeParts(after.dimensions),
    },
  ];
  return rows.filter(({ from, to }) => from !== to);
}

/** The fixed properties of a meter, in words. */
export function describeFixed(meter: Meter): string {
  const source = meter.eventType === undefined ? "calls" : "events";
  return t`${toAggregationLabel(meter.aggregation)} of ${source}`;
}
