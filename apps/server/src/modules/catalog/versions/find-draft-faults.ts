import { completePlanTerms } from "@turnpike/contract/catalog";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { FieldError } from "@turnpike/domain/errors/app-error";
import type { PlanRow } from "../catalog.store.ts";
import { findFaultsOfPlan } from "../find-catalog-faults.ts";
import { findKindFault } from "../publish-plan.ts";

/**
 * Finds why a draft cannot be published.
 *
 * @param input.before - The plan with its newest version.
 * @returns Each fault with its pointer into the terms; empty when it can be published.
 */
export function findDraftFaults({
  planId,
  terms,
  meters,
  before,
}: {
  planId: string;
  terms: PlanTerms;
  meters: readonly MeterDefinition[];
  before: PlanRow | undefined;
}): FieldError[] {
  const { error } = completePlanTerms.safeParse(terms);
  const shape = (error?.issues ?? []).map(({ path, message }) => ({
    pointer: path.map((step) => `/${String(step)}`).join(""),
    message,
  }));
  const kind = findKindFault(terms, before);
  return [
    ...shape,
    ...(kind === undefined ? [] : [kind]),
    ...findFaultsOfPlan({ planId, ...terms }, meters),
  ];
}
