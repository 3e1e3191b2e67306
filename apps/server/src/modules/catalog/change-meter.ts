import { type MeterInput, meterInput } from "@turnpike/contract/catalog";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { MeterDimension } from "@turnpike/domain/catalog/meter";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { listMeterRows, lockCatalog, type MeterRow } from "./catalog.store.ts";
import { publishMeters } from "./publish-meters.ts";

export type MeterChange = {
  meterId: string;
  name?: string | undefined;
  unit?: string | undefined;
  eventType?: string | undefined;
  valuePointer?: string | undefined;
  /** Null takes all away. */
  dimensions?: readonly MeterDimension[] | null | undefined;
};

function first(rows: readonly MeterRow[]): MeterRow {
  const [row] = rows;
  if (row === undefined) {
    throw new Error("A meter was published and is not there.");
  }
  return row;
}

/** Without the place of the meter in a catalogue: here there is one. */
async function inRequest<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === "INVALID_REQUEST") {
      const errors = error.errors.map(({ pointer, message }) => ({
        pointer: pointer.replace(/^\/meters\/\d+/, ""),
        message,
      }));
      throw new AppError({ code: error.code, publicMessage: error.message, errors, cause: error });
    }
    throw error;
  }
}

/** @throws {AppError} `ALREADY_EXISTS`, `CONFLICT` when there are 1,000 meters, `INSUFFICIENT_SCOPE`. */
export async function createMeter(
  deps: AppServices,
  context: CallContext,
  input: MeterInput,
): Promise<MeterRow> {
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    await lockCatalog(tx);
    const known = await listMeterRows(tx);
    if (known.some((meter) => meter.meterId === input.meterId)) {
      throw new AppError({
        code: "ALREADY_EXISTS",
        publicMessage: `There is a meter ${input.meterId} already.`,
      });
    }
    return first(await publishMeters(deps, tx, context, [input]));
  });
}

function applyChange(before: MeterRow, change: MeterChange): MeterInput {
  const { version: _, ...kept } = before;
  const { dimensions, ...given } = change;
  const named = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const parsed = meterInput.safeParse({
    ...kept,
    ...named,
    ...(dimensions === undefined ? {} : { dimensions: dimensions ?? undefined }),
  });
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => ({
      pointer: path.map((step) => `/${String(step)}`).join(""),
      message,
    }));
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: errors[0]?.message ?? "The meter would not be valid.",
      errors,
    });
  }
  return parsed.data;
}

/**
 * Changes a meter, which makes a new version. Nothing to change makes none.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INVALID_REQUEST`, `CONFLICT` when it has 1,000 versions, `INSUFFICIENT_SCOPE`.
 */
export async function updateMeter(
  deps: AppServices,
  context: CallContext,
  change: MeterChange,
): Promise<MeterRow> {
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    await lockCatalog(tx);
    const before = (await listMeterRows(tx)).find((meter) => meter.meterId === change.meterId);
    if (before === undefined) {
      throw resourceNotFound("meter");
    }
    const meter = applyChange(before, change);
    return first(await inRequest(publishMeters(deps, tx, context, [meter])));
  });
}
