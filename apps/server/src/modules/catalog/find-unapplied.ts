import { isDeepStrictEqual } from "node:util";
import type { AppServices } from "#platform/app-services.ts";
import { type CatalogChange, toTerms } from "./apply-catalog.ts";
import { listMeterRows, listPlanRows } from "./catalog.store.ts";
import { isSameMeter } from "./publish-meters.ts";

/**
 * Names what applying a catalogue would change: meters and plans that differ from their newest version or are not there,
 * and the default plan. What is published and not named is no difference, since applying leaves it as it is.
 *
 * @returns Such as `plan pro`, `meter tokens` or `default plan`; empty when everything is published as it is given.
 */
export async function findUnapplied(
  deps: Pick<AppServices, "transact">,
  input: CatalogChange,
): Promise<string[]> {
  const { meters, plans } = await deps.transact.asOperator(async (tx) => ({
    meters: await listMeterRows(tx),
    plans: await listPlanRows(tx),
  }));
  const differing = {
    meters: input.meters.filter((meter) => !meters.some((row) => isSameMeter(row, meter))),
    plans: input.plans.filter(
      (plan) =>
        !plans.some(
          (row) => row.plan_id === plan.planId && isDeepStrictEqual(row.terms, toTerms(plan)),
        ),
    ),
  };
  const isOtherDefault =
    input.defaultPlanId !== undefined &&
    !plans.some((row) => row.is_default && row.plan_id === input.defaultPlanId);
  return [
    ...differing.meters.map(({ meterId }) => `meter ${meterId}`),
    ...differing.plans.map(({ planId }) => `plan ${planId}`),
    ...(isOtherDefault ? ["default plan"] : []),
  ];
}
