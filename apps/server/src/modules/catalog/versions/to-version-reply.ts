import type { PlanDraftTerms } from "@turnpike/contract/catalog";
import type { PlanVersion } from "@turnpike/contract/plan-versions";
import { phasesOf } from "@turnpike/domain/catalog/phases-of";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { PlanVersionRow } from "../catalog.store.ts";

/** The terms of a plan as a reply, with defaults for what they leave out. */
export function toTermsReply(terms: PlanTerms) {
  return {
    ...terms,
    rateLimits: [...terms.rateLimits],
    quotas: [...terms.quotas],
    phases: phasesOf(terms),
    isAddOn: terms.isAddOn ?? false,
    concurrency: terms.concurrency ?? null,
    scopes: [...(terms.scopes ?? [])],
  };
}

/** The terms of a draft as they were given. */
export function toDraftTermsReply({ scopes, ...terms }: PlanTerms): PlanDraftTerms {
  return {
    ...terms,
    rateLimits: [...terms.rateLimits],
    quotas: [...terms.quotas],
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
  };
}

export function toVersionReply(row: PlanVersionRow): PlanVersion {
  return {
    planId: row.planId,
    version: row.version,
    publishedAt: row.publishedAt.toISOString(),
    ...toTermsReply(row.terms),
  };
}
