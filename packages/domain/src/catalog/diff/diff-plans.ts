import { toGrouped } from "../../text/to-grouped.ts";
import { phasesOf } from "../phases-of.ts";
import type { PlanTerms } from "../plan.ts";
import {
  type CatalogChange,
  diffFacts,
  type Fact,
  type Facts,
  groupFact,
  toFacts,
  valueFact,
} from "./fact.ts";
import { toPhaseFact } from "./phase-facts.ts";

function quoted(label: string, text: string): Fact {
  return valueFact(label, text, `"${text}"`);
}

function toRateFacts({ rateLimits }: PlanTerms): Fact {
  const facts = rateLimits.map((rate) => {
    const text = `${toGrouped(rate.limit)} in ${String(rate.windowSeconds)} s`;
    return [rate.name, valueFact(`rate limit ${rate.name}`, rate, text)];
  });
  return groupFact({ label: "", text: "", value: null, role: "silent" }, Object.fromEntries(facts));
}

function toScopeFacts({ scopes = [] }: PlanTerms): Fact {
  const facts = scopes.map((scope) => [scope, { ...valueFact(`scope ${scope}`, scope), text: "" }]);
  return groupFact({ label: "", text: "", value: null, role: "silent" }, Object.fromEntries(facts));
}

/** Prices and limits of a plan without phases, as it is written. */
function toSimpleFacts({ pricePerMonth, quotas }: PlanTerms) {
  const limits = quotas.map((quota) => [
    quota.meter,
    valueFact(`quota of ${quota.meter}`, quota, `${toGrouped(quota.limit)} ${quota.kind}`),
  ]);
  return {
    pricePerMonth: valueFact("price a month", pricePerMonth, toGrouped(pricePerMonth)),
    quotas: groupFact(
      { label: "", text: "", value: null, role: "silent" },
      Object.fromEntries(limits),
    ),
  };
}

function toPhaseFacts(terms: PlanTerms, isOnly: boolean) {
  const phases = phasesOf(terms).map((phase, index) => [
    String(index),
    toPhaseFact(phase, { index, isOnly }),
  ]);
  return {
    phases: groupFact(
      { label: "", text: "", value: null, role: "silent" },
      Object.fromEntries(phases),
    ),
  };
}

function toPlanFacts(terms: PlanTerms, prices: Readonly<Record<string, Fact>>): Facts {
  const { name, description, currency, visibility, isAddOn, isPrepaid, concurrency } = terms;
  return toFacts({
    name: quoted("name", name),
    description: quoted("description", description),
    currency: valueFact("currency", currency),
    visibility: valueFact("visibility", visibility),
    isAddOn: valueFact("add-on", isAddOn === true, isAddOn === true ? "yes" : "no"),
    isPrepaid: valueFact(
      "prepaid",
      isPrepaid === true,
      isPrepaid === true ? "yes, calls draw on credit" : "no",
    ),
    ...prices,
    rateLimits: toRateFacts(terms),
    concurrency:
      concurrency === undefined || concurrency === null
        ? undefined
        : valueFact("calls at once", concurrency, toGrouped(concurrency)),
    scopes: toScopeFacts(terms),
  });
}

/**
 * Compares two versions of a plan. A plan without phases is compared with one that has some as the phase that it is.
 *
 * @returns In the order of the plan; empty when both promise the same.
 */
export function diffPlans(before: PlanTerms, after: PlanTerms): CatalogChange[] {
  if (before.phases === undefined && after.phases === undefined) {
    return diffFacts(
      toPlanFacts(before, toSimpleFacts(before)),
      toPlanFacts(after, toSimpleFacts(after)),
    );
  }
  const isOnly = phasesOf(before).length === 1 && phasesOf(after).length === 1;
  return diffFacts(
    toPlanFacts(before, toPhaseFacts(before, isOnly)),
    toPlanFacts(after, toPhaseFacts(after, isOnly)),
  );
}
