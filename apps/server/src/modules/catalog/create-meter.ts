import type { MeterInput } from "@turnpike/contract/catalog";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { listMeterRows, lockCatalog, type MeterRow } from "./catalog.store.ts";
import { publishMeter } from "./publish-meter.ts";

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
        publicMessage: `The meter ${input.meterId} already exists.`,
      });
    }
    return await publishMeter(deps, tx, context, input);
  });
}
