import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { FieldError } from "@turnpike/domain/errors/app-error";
import { withRequestsMeter } from "./built-in-meter.ts";
import type { CatalogChange } from "./catalog-change.ts";
import { findMeterFaults, findQuotaFault } from "./publish-meters.ts";

/**
 * Finds why a catalogue cannot be applied: a meter would be counted in another way, or a quota names a meter that is unknown or
 * cannot be capped.
 *
 * @param known - The meters of the installation; none for a new one.
 * @returns Each fault with its pointer; empty when the catalogue can be applied.
 */
export function findCatalogFaults(
  input: CatalogChange,
  known: readonly MeterDefinition[],
): FieldError[] {
  const meters = [...known, ...withRequestsMeter(input.meters, known)];
  const quotaFaults = input.plans.flatMap((plan, planIndex) =>
    plan.quotas.flatMap((quota, quotaIndex) => {
      const message = findQuotaFault(meters, quota.meter);
      const pointer = `/plans/${String(planIndex)}/quotas/${String(quotaIndex)}/meter`;
      return message === undefined ? [] : [{ pointer, message }];
    }),
  );
  // `requests` counts calls in every installation, including one that is yet to be created.
  return [...quotaFaults, ...findMeterFaults(input.meters, withRequestsMeter(known, []))];
}
