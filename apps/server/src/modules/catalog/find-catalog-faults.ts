import { findPlanFaults } from "@turnpike/domain/billing/catalog/find-plan-faults";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { FieldError } from "@turnpike/domain/errors/app-error";
import { withRequestsMeter } from "./built-in-meter.ts";
import type { CatalogChange } from "./catalog-change.ts";
import { findMeterFaults, findQuotaFault } from "./publish-meters.ts";

type InputPlan = CatalogChange["plans"][number];

/**
 * Finds why a plan cannot be published.
 *
 * @param meters - Every meter that it may name. Of several definitions of one meter, the last counts.
 * @returns Each fault with its pointer into the plan.
 */
export function findFaultsOfPlan(
  { planId, ...terms }: InputPlan,
  meters: readonly MeterDefinition[],
): FieldError[] {
  const quotaFaults = terms.quotas.flatMap(({ meter }, index) => {
    const message = findQuotaFault(meters, meter);
    const pointer = `/quotas/${String(index)}/meter`;
    return message === undefined ? [] : [{ pointer, message }];
  });
  const planFaults = findPlanFaults({ planId, terms, meters });
  return [...quotaFaults, ...planFaults.map(({ pointer, message }) => ({ pointer, message }))];
}

/**
 * Finds why a catalogue cannot be applied: a meter would be counted in another way, or a plan names a meter that is unknown,
 * cannot be capped, or has a price that cannot be billed.
 *
 * @param known - The meters of the installation; none for a new one.
 * @returns Each fault with its pointer; empty when the catalogue can be applied.
 */
export function findCatalogFaults(
  input: CatalogChange,
  known: readonly MeterDefinition[],
): FieldError[] {
  const meters = [...known, ...withRequestsMeter(input.meters, known)];
  const planFaults = input.plans.flatMap((plan, index) =>
    findFaultsOfPlan(plan, meters).map(({ pointer, message }) => ({
      pointer: `/plans/${String(index)}${pointer}`,
      message,
    })),
  );
  // `requests` counts calls in every installation, including one that is yet to be created.
  return [...planFaults, ...findMeterFaults(input.meters, withRequestsMeter(known, []))];
}
