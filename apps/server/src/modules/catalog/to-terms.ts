import { isDeepStrictEqual } from "node:util";
import { completeTerms } from "@turnpike/domain/billing/catalog/complete-terms";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { PlanPhaseTerms } from "@turnpike/domain/catalog/plan-phase";

/** True when terms as they are stored promise the same. */
export function isSameTerms(a: PlanTerms, b: PlanTerms): boolean {
  return isDeepStrictEqual(a, b);
}

/** Members that are left out and members that are undefined are the same promise, and must not make a new version. */
function withoutUndefined(phases: PlanPhaseTerms[]): PlanPhaseTerms[] {
  return JSON.parse(JSON.stringify(phases));
}

/**
 * A plan's terms as they are stored: without its id and what says nothing, and with what is derived from phases.
 *
 * @param meters - Those that its cards name.
 * @throws {Error} When its phases cannot be billed, see `findPlanFaults`.
 */
export function toTerms(
  plan: PlanTerms & { planId: string },
  meters: readonly MeterDefinition[],
): PlanTerms {
  const { planId, scopes, concurrency, phases, isAddOn, isPrepaid, ...terms } = plan;
  return completeTerms({
    planId,
    meters,
    terms: {
      ...terms,
      ...(phases === undefined ? {} : { phases: withoutUndefined(phases) }),
      ...(isAddOn === true ? { isAddOn } : {}),
      ...(isPrepaid === true ? { isPrepaid } : {}),
      ...(concurrency === undefined || concurrency === null ? {} : { concurrency }),
      ...(scopes === undefined || scopes.length === 0 ? {} : { scopes }),
    },
  });
}
