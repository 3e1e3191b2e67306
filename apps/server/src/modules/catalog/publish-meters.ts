import { isDeepStrictEqual } from "node:util";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import {
  isAdditive,
  METER_VERSIONS_MAX,
  METERS_MAX,
  type MeterDefinition,
} from "@turnpike/domain/catalog/meter";
import { AppError, type FieldError } from "@turnpike/domain/errors/app-error";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertMeterVersion, listMeterRows, type MeterRow } from "./catalog.store.ts";

/** Why a meter cannot have a quota; undefined when it can. */
export function findQuotaFault(
  meters: readonly MeterDefinition[],
  meterId: string,
): string | undefined {
  const meter = meters.find((candidate) => candidate.meterId === meterId);
  if (meter === undefined) {
    return `There is no meter ${meterId}.`;
  }
  return isAdditive(meter.aggregation)
    ? undefined
    : `No quota can cap ${meterId}: it is counted by ${meter.aggregation}, which cannot be added up.`;
}

function findMeterFault(
  meter: MeterDefinition,
  before: MeterDefinition,
): Omit<FieldError, "fix"> | undefined {
  if (meter.aggregation !== before.aggregation) {
    const message = `The meter ${meter.meterId} counts by ${before.aggregation}; a new way of counting needs a new meter.`;
    return { pointer: "aggregation", message };
  }
  if ((meter.eventType === undefined) !== (before.eventType === undefined)) {
    const counted = before.eventType === undefined ? "calls" : "events";
    const message = `The meter ${meter.meterId} counts ${counted}; another source needs a new meter.`;
    return { pointer: "eventType", message };
  }
  if (before.valueMax !== undefined && meter.valueMax === undefined) {
    const message = `Keep the highest value of the meter ${meter.meterId}, or raise it: hard limits on its price are computed from it.`;
    return { pointer: "valueMax", message };
  }
  return;
}

/**
 * Finds meters that would be counted in another way or from another source.
 *
 * @returns Each fault with its pointer; empty when all can be published.
 */
export function findMeterFaults(
  meters: readonly MeterDefinition[],
  known: readonly MeterDefinition[],
): FieldError[] {
  return meters.flatMap((meter, index) => {
    const before = known.find((candidate) => candidate.meterId === meter.meterId);
    const fault = before && findMeterFault(meter, before);
    return fault === undefined
      ? []
      : [{ pointer: `/meters/${String(index)}/${fault.pointer}`, message: fault.message }];
  });
}

function withoutVersion({ version: _, ...definition }: MeterRow): MeterDefinition {
  return definition;
}

/** One way to write what means the same, so that it makes no version. */
export function normaliseMeter(meter: MeterDefinition): MeterDefinition {
  const { eventType, valuePointer, dimensions = [], valueMax, ...rest } = meter;
  return {
    ...rest,
    ...(eventType === undefined ? {} : { eventType }),
    ...(valuePointer === undefined ? {} : { valuePointer }),
    // No dimensions and an empty list are the same, and must not make a new version.
    ...(dimensions.length === 0 ? {} : { dimensions: [...dimensions] }),
    ...(valueMax === undefined ? {} : { valueMax: fromScaled(toScaled(valueMax)) }),
  };
}

/** True when a meter equals its newest version. */
export function isSameMeter(row: MeterRow, meter: MeterDefinition): boolean {
  return isDeepStrictEqual(withoutVersion(row), normaliseMeter(meter));
}

function tooMany(publicMessage: string): AppError {
  return new AppError({ code: "CONFLICT", publicMessage });
}

/**
 * Brings meters to the given state, under the lock of the catalogue. A meter that differs from its newest version gets a new
 * one, which counts events from the commit on; earlier counts stay as they are.
 *
 * @returns The newest version of each.
 * @throws {AppError} `INVALID_REQUEST` when a meter would be counted in another way or from another source than the ledger
 *   already has; `CONFLICT` when there would be too many meters, or versions of one.
 */
export async function publishMeters(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  meters: readonly MeterDefinition[],
): Promise<MeterRow[]> {
  const rows = await listMeterRows(tx);
  const errors = findMeterFaults(meters, rows);
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
  const known = new Map(rows.map((row) => [row.meterId, row]));
  const added = meters.filter(({ meterId }) => !known.has(meterId)).length;
  if (added > 0 && rows.length + added > METERS_MAX) {
    throw tooMany(
      `There can be at most ${METERS_MAX.toLocaleString("en")} meters: change one that is not needed any more.`,
    );
  }
  const newest: MeterRow[] = [];
  for (const meter of meters.map(normaliseMeter)) {
    const before = known.get(meter.meterId);
    if (before !== undefined && isSameMeter(before, meter)) {
      newest.push(before);
      continue;
    }
    const row = { ...meter, version: (before?.version ?? 0) + 1 };
    if (row.version > METER_VERSIONS_MAX) {
      throw tooMany(
        `The meter ${meter.meterId} has ${METER_VERSIONS_MAX.toLocaleString("en")} versions already: further changes need a new meter.`,
      );
    }
    await insertMeterVersion(tx, row, deps.clock.now());
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "meter.published",
      entityType: "meter",
      entityId: meter.meterId,
      details: { version: row.version },
    });
    newest.push(row);
  }
  return newest;
}
