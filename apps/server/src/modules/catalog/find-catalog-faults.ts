import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { FieldError } from "@turnpike/domain/errors/app-error";
import { withRequestsMeter } from "./built-in-meter.ts";
import type { CatalogChange } from "./catalog-change.ts";
import { findMeterFaults, findQuotaFault } from "./publish-meters.ts";

/**
 * Tells why a catalogue cannot be applied: a meter would be counted in another way, or a quota caps one that cannot be capped
 * or is neither in the catalogue nor known.
 *
 * @param known - The meters of the installation; none where it is to be made.
 * @returns Each with its place in the catalogue; empty when it can be applied.
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
  // `requests` counts calls everywhere, also in an installation that is still to be made.
  return [...quotaFaults, ...findMeterFaults(input.meters, withRequestsMeter(known, []))];
}
