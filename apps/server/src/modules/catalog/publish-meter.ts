import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { AppServices } from "#platform/app-services.ts";
import type { MeterRow } from "./catalog.store.ts";
import { publishMeters } from "./publish-meters.ts";

/** Publishes one meter, like {@link publishMeters}. @returns Its newest version. */
export async function publishMeter(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  meter: MeterDefinition,
): Promise<MeterRow> {
  const [row] = await publishMeters(deps, tx, context, [meter]);
  if (row === undefined) {
    throw new Error("A meter was published and is not there.");
  }
  return row;
}
