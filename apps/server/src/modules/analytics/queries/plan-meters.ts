import {
  isEventDimension,
  isMeterMeasure,
  type MeterMeasure,
  meterOf,
  nameOfDimension,
} from "@turnpike/contract/meter-measure";
import type { UsageQuestion } from "@turnpike/contract/usage-query";
import { type Aggregation, isAdditive, type MeterDefinition } from "@turnpike/domain/catalog/meter";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { METER_STEP_MS } from "@turnpike/domain/metering/usage-range";
import { MINUTE_MS } from "@turnpike/domain/time/zoned-buckets";
import { refuseQuestion } from "./refuse-question.ts";

/** Every version of a meter, the newest first; empty when there is no such meter. */
export type MeterVersions = readonly (MeterDefinition & { version: number })[];

/** The position of a dimension of events in the sums of each version that keeps it, from 1. */
export type DimensionPositions = { versions: readonly number[]; positions: readonly number[] };

/** How a meter of the question is summed. */
export type PlannedMeter = {
  meterId: string;
  aggregation: Aggregation;
} & (
  | {
      /** From the rollups of calls, which hold the units of every meter that can be added up. */
      kind: "rollups";
    }
  | {
      /** From the mergeable sums of events by the quarter of an hour. */
      kind: "events";
      versions: readonly number[];
      /** Of each asked dimension of events. */
      dimensions: ReadonlyMap<string, DimensionPositions>;
      filters: readonly { dimension: DimensionPositions; values: readonly string[] }[];
    }
);

type MeterQuestion = Pick<
  UsageQuestion,
  | "measures"
  | "meter"
  | "dimensions"
  | "event"
  | "grain"
  | "key"
  | "route"
  | "method"
  | "status"
  | "status_class"
  | "outcome"
  | "model"
>;

/** Dimensions that events do not have: meters of events cannot be broken down or filtered by them. */
const OF_CALLS = ["route", "method", "status", "status_class", "outcome", "model"] as const;

/** The meters that a question names, each once, without the built-in meter of calls, which always exists. */
export function listNamedMeters({
  measures,
  meter,
}: Pick<UsageQuestion, "measures" | "meter">): string[] {
  const asked = measures.filter(isMeterMeasure).map(meterOf);
  return [...new Set(meter === REQUESTS_METER ? asked : [...asked, meter])];
}

function hasMeter(versionsOf: ReadonlyMap<string, MeterVersions>, meterId: string): boolean {
  return (versionsOf.get(meterId) ?? []).length > 0;
}

/** Names of the dimensions of events that are asked for or filtered by. */
function listEventDimensions({ dimensions, event = [] }: MeterQuestion): string[] {
  const asked = dimensions.filter(isEventDimension).map(nameOfDimension);
  return [...new Set([...asked, ...event.map(({ name }) => name)])];
}

/** The parameter that names a dimension of events in the question. */
function eventPointerOf({ dimensions }: MeterQuestion, name: string): string {
  return dimensions.includes(`event:${name}`) ? "dimensions" : "event";
}

/** The parameter that names a dimension of calls in the question. */
function pointerOf({ dimensions }: MeterQuestion, name: (typeof OF_CALLS)[number] | "key"): string {
  return dimensions.includes(name) ? "dimensions" : name;
}

function isUsed(question: MeterQuestion, name: (typeof OF_CALLS)[number] | "key"): boolean {
  return question.dimensions.includes(name) || question[name] !== undefined;
}

/** @throws {AppError} `INVALID_REQUEST` when no version of the meter keeps the dimension. */
function findPositions(
  question: MeterQuestion,
  name: string,
  versions: MeterVersions,
): DimensionPositions {
  const found = versions.flatMap(({ version, dimensions = [] }) => {
    const index = dimensions.findIndex((dimension) => dimension.name === name);
    return index === -1 ? [] : [{ version, position: index + 1 }];
  });
  if (found.length === 0) {
    const kept = new Set(
      versions.flatMap(({ dimensions = [] }) => dimensions.map((dimension) => dimension.name)),
    );
    const meterId = versions[0]?.meterId ?? "";
    throw refuseQuestion(
      eventPointerOf(question, name),
      `The meter ${meterId} keeps no "${name}" of its events, only ${kept.size === 0 ? "their sum" : [...kept].join(", ")}.`,
    );
  }
  return {
    versions: found.map(({ version }) => version),
    positions: found.map(({ position }) => position),
  };
}

function planMeter(
  question: MeterQuestion,
  measure: MeterMeasure,
  versions: MeterVersions,
): PlannedMeter {
  const meterId = meterOf(measure);
  const [newest] = versions;
  if (newest === undefined) {
    throw refuseQuestion("measures", `There is no meter "${meterId}".`);
  }
  const { aggregation, eventType } = newest;
  const names = listEventDimensions(question);
  if (eventType === undefined) {
    if (names[0] !== undefined) {
      throw refuseQuestion(
        eventPointerOf(question, names[0]),
        `The meter ${meterId} counts calls, which have no dimensions of events: ask for event:${names[0]} without ${measure}.`,
      );
    }
    return { meterId, aggregation, kind: "rollups" };
  }
  const ofCalls = OF_CALLS.find((name) => isUsed(question, name));
  if (ofCalls !== undefined) {
    throw refuseQuestion(
      pointerOf(question, ofCalls),
      `The meter ${meterId} counts events, which have no ${ofCalls}: ask for it without ${measure}, or give the meter a dimension for it.`,
    );
  }
  if (isAdditive(aggregation) && names.length === 0) {
    return { meterId, aggregation, kind: "rollups" };
  }
  const why = isAdditive(aggregation)
    ? "with dimensions of events"
    : `by its aggregation (${aggregation})`;
  if (isUsed(question, "key")) {
    throw refuseQuestion(
      pointerOf(question, "key"),
      `By key only sums and counts are kept, and ${measure} is asked ${why}: make the key a dimension of the meter.`,
    );
  }
  if (question.grain === "minute") {
    throw refuseQuestion(
      "grain",
      `By the minute only sums and counts are kept, and ${measure} is asked ${why}, which is kept by the quarter of an hour: ask by the hour.`,
    );
  }
  const positions = new Map(names.map((name) => [name, findPositions(question, name, versions)]));
  const wanted = Map.groupBy(question.event ?? [], ({ name }) => name);
  return {
    meterId,
    aggregation,
    kind: "events",
    versions: versions.map(({ version }) => version),
    dimensions: positions,
    filters: Array.from(wanted, ([name, all]) => ({
      dimension: positions.get(name) ?? { versions: [], positions: [] },
      values: all.map(({ value }) => value),
    })),
  };
}

/**
 * Decides from what each meter of a question is summed.
 *
 * @param versionsOf - Of every meter that {@link listNamedMeters} names.
 * @throws {AppError} `INVALID_REQUEST` for an unknown meter or dimension of events, and for a combination that cannot be
 *   answered, because it asks of calls what only events have, or of events what only calls have or what is not kept of them.
 */
export function planMeters(
  question: MeterQuestion,
  versionsOf: ReadonlyMap<string, MeterVersions>,
): PlannedMeter[] {
  const { meter } = question;
  if (meter !== REQUESTS_METER && !hasMeter(versionsOf, meter)) {
    throw refuseQuestion("meter", `There is no meter "${meter}".`);
  }
  const asked = question.measures.filter(isMeterMeasure);
  const ofCalls = question.measures.find((measure) => !isMeterMeasure(measure));
  const [name] = listEventDimensions(question);
  if (ofCalls !== undefined && name !== undefined) {
    throw refuseQuestion(
      eventPointerOf(question, name),
      `${ofCalls} is about calls, which have no dimensions of events: ask for event:${name} of meters of events alone.`,
    );
  }
  return asked.map((measure) =>
    planMeter(question, measure, versionsOf.get(meterOf(measure)) ?? []),
  );
}

/** To what the ends of a range are rounded: the finest by which everything asked is kept. */
export function roundingOf(meters: readonly PlannedMeter[]): number {
  return meters.some(({ kind }) => kind === "events") ? METER_STEP_MS : MINUTE_MS;
}
