import type { VerifyKeyResponse } from "@turnpike/contract/keys";
import { effectiveScopes } from "@turnpike/domain/access/custom-scopes";
import { findMissingScopes, listScopes } from "@turnpike/domain/access/scope-query";
import { findOffer, type RefusedCall } from "@turnpike/domain/catalog/find-offer";
import type { ErrorCode } from "@turnpike/domain/errors/error-codes";
import type { PublicCatalog } from "#modules/catalog/index.ts";
import type { CallToDecide } from "../decide/call-to-decide.ts";
import type { Denial } from "../decide/denial.ts";
import type { LimitView } from "../decide/limits/limit-view.ts";

export type MakeOfferDeps = {
  /** Meters and plans that are sold, from memory. */
  catalog: { get(): Promise<PublicCatalog> };
  /** Where plans are shown. */
  plansUrl: string;
};

/** Refusals that another plan may lift. */
const MENDED_BY_A_PLAN: ReadonlySet<ErrorCode> = new Set([
  "RATE_LIMITED",
  "QUOTA_EXCEEDED",
  "INSUFFICIENT_SCOPE",
]);

function isSame(a: LimitView, b: LimitView | undefined): boolean {
  return a.kind === b?.kind && a.scope === b.scope && a.name === b.name;
}

/** The call to compare other plans with; undefined when no plan can help. */
function toRefusedCall(denial: Denial, call: CallToDecide): RefusedCall | undefined {
  const { code, limits, missingScopes, subject } = denial;
  const { key, tenant } = subject ?? {};
  if (key === undefined || tenant === undefined || !MENDED_BY_A_PLAN.has(code)) {
    return;
  }
  const units = Math.max(1, call.cost);
  const isFull = (limit: LimitView) =>
    limit.remaining < (limit.kind === "quota" ? units : 1) || isSame(limit, denial.limit);
  const { scopeQuery } = call;
  // The tenant gives its key anything that its plan allows.
  const grantable =
    scopeQuery === undefined ? key.scopes : [...key.scopes, ...listScopes(scopeQuery)];
  const hasScopes = (planScopes: readonly string[] | undefined) =>
    scopeQuery === undefined ||
    findMissingScopes(scopeQuery, effectiveScopes(grantable, planScopes)).length === 0;
  // A limit that the tenant gave its key would stay; and if the plan already allows the scopes, it is not the plan that refuses.
  if (
    limits.some((limit) => limit.scope === "key" && isFull(limit)) ||
    (missingScopes.length > 0 && hasScopes(tenant.terms.scopes))
  ) {
    return;
  }
  const ofTenant = limits.filter((limit) => limit.scope === "tenant");
  const quota = ofTenant.find((limit) => limit.kind === "quota");
  return {
    fullRates: ofTenant.flatMap((limit) =>
      limit.kind === "rate_limit" && isFull(limit) ? [limit] : [],
    ),
    meter: call.meterId,
    unitsInPeriod: quota === undefined ? undefined : quota.limit - quota.remaining + units,
    hasScopes,
  };
}

/** The offer that would let the call pass. An offer is an extra: when the catalogue cannot be read, there is none. */
export async function makeOffer(
  deps: MakeOfferDeps,
  denial: Denial,
  call: CallToDecide,
): Promise<NonNullable<VerifyKeyResponse["offer"]> | null> {
  const refused = toRefusedCall(denial, call);
  if (refused === undefined || denial.subject === undefined) {
    return null;
  }
  const catalog = await deps.catalog.get().catch(() => undefined);
  const { planId, terms } = denial.subject.tenant;
  const plan = findOffer(catalog?.plans ?? [], { planId, currency: terms.currency }, refused);
  return plan === undefined ? null : { planId: plan.planId, name: plan.name, url: deps.plansUrl };
}
