import { type MeterInput, meterInput } from "@turnpike/contract/catalog";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { MeterDimension } from "@turnpike/domain/catalog/meter";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { listMeterRows, lockCatalog, type MeterRow } from "./catalog.store.ts";
import { publishMeter } from "./publish-meter.ts";

export type MeterChange = {
  meterId: string;
  name?: string | undefined;
  unit?: string | undefined;
  eventType?: string | undefined;
  valuePointer?: string | undefined;
  /** Null removes all. */
  dimensions?: readonly MeterDimension[] | null | undefined;
  valueMax?: string | undefined;
};

/** Points into the meter itself, since the request has no catalogue around it. */
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
      publicMessage: errors[0]?.message ?? "The meter is not valid.",
      errors,
    });
  }
  return parsed.data;
}

/**
 * Changes a meter by publishing a new version; none when nothing changes.
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
    return await inRequest(publishMeter(deps, tx, context, meter));
  });
}
