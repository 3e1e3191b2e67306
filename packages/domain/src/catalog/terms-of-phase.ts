import { SCALE, toScaled } from "../money/decimal.ts";
import type { PlanTerms, Quota } from "./plan.ts";
import type { RateCardTerms } from "./plan-phase.ts";

function toQuota({ meter, entitlement }: RateCardTerms): Quota[] {
  if (meter === undefined || (entitlement?.kind !== "hard" && entitlement?.kind !== "soft")) {
    return [];
  }
  const limit = Number(toScaled(entitlement.limit ?? "0") / SCALE);
  return [{ meter, limit, kind: entitlement.kind }];
}

/**
 * What a phase entitles to, as the limits of calls read it.
 *
 * @param phaseIndex - From 0; a phase that is not there entitles to nothing.
 * @returns The quotas, in whole units of one refill.
 */
export function termsOfPhase(terms: PlanTerms, phaseIndex: number): Pick<PlanTerms, "quotas"> {
  return terms.phases === undefined
    ? { quotas: terms.quotas }
    : { quotas: (terms.phases[phaseIndex]?.rateCards ?? []).flatMap(toQuota) };
}
