import type { MeterDefinition } from "../../catalog/meter.ts";
import { phasesOf } from "../../catalog/phases-of.ts";
import type { PlanTerms } from "../../catalog/plan.ts";
import { toScaled } from "../../money/decimal.ts";
import { type CatalogFault, createReader } from "../../pricing/catalog-fault.ts";
import type { BillingMeter, BillingPlan } from "./billing-plan.ts";
import { readPlan } from "./read-plan.ts";

/** Meters as prices read them. */
export function toBillingMeters(
  meters: readonly MeterDefinition[],
): ReadonlyMap<string, BillingMeter> {
  return new Map(
    meters.map(({ meterId, aggregation, valueMax }) => [
      meterId,
      {
        meterId,
        aggregation,
        valueMax: valueMax === undefined ? undefined : toScaled(valueMax),
      },
    ]),
  );
}

/** What the engine reads of a plan. */
export type PlanSource = {
  readonly planId: string;
  /** Place in the catalogue, which orders the lines of add-ons. */
  readonly place: number;
  readonly terms: PlanTerms;
  readonly meters: readonly MeterDefinition[];
};

/** Reads a plan as the engine does, with everything in its phases that cannot work. */
export function readPlanSource({ planId, place, terms, meters }: PlanSource): {
  plan: BillingPlan;
  faults: CatalogFault[];
} {
  const faults: CatalogFault[] = [];
  const plan = readPlan(
    { planId, phases: phasesOf(terms), isPrepaid: terms.isPrepaid === true },
    { place, meters: toBillingMeters(meters) },
    createReader(faults),
  );
  return { plan, faults };
}

/**
 * Turns the terms of a published version into what the engine bills by.
 *
 * @throws {Error} When the terms cannot be billed, which publishing prevents: a wrong bill would be worse.
 */
export function toBillingPlan(source: PlanSource): BillingPlan {
  const { plan, faults } = readPlanSource(source);
  const [fault] = faults;
  if (fault !== undefined) {
    throw new Error(`The plan ${source.planId} at ${fault.pointer}: ${fault.message}`);
  }
  return plan;
}
