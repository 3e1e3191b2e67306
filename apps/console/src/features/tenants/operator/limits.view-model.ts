import { t } from "@lingui/core/macro";
import type { ApiClient } from "#platform/api-client.ts";

export type TenantTerms = Awaited<ReturnType<ApiClient["tenantTerms"]["get"]>>;
export type TermsOverrides = Parameters<ApiClient["tenantTerms"]["put"]>[0]["overrides"];

/** A limit of a tenant in the form: what the plan says of it, and what is typed instead. */
export type LimitRow = {
  id: string;
  /** Such as `Calls in 60 s` or the id of a meter. */
  label: string;
  /** What the plan says; undefined for a limit that the tenant has apart from its plan. */
  ofPlan: number | undefined;
  /** Digits; empty for the plan's. */
  own: string;
};

export type LimitsForm = {
  rateLimits: readonly LimitRow[];
  quotas: readonly LimitRow[];
  concurrency: LimitRow;
};

type RateLimit = TenantTerms["terms"]["rateLimits"][number];
type Quota = TenantTerms["terms"]["quotas"][number];

const nameOf = { rateLimits: (one: RateLimit) => one.name, quotas: (one: Quota) => one.meter };

/** Those of the plan, then those that the tenant has apart from it. */
function joinByName<One>(ofPlan: readonly One[], own: readonly One[], name: (one: One) => string) {
  const names = [...new Set([...ofPlan, ...own].map(name))];
  return names.map((id) => ({
    id,
    ofPlan: ofPlan.find((one) => name(one) === id),
    own: own.find((one) => name(one) === id),
  }));
}

const digits = (value: number | null | undefined) => (value == null ? "" : String(value));

/** A number that is the plan's is not shown as the tenant's own: a list is replaced as a whole. */
const ownDigits = (own: number | undefined, ofPlan: number | undefined) =>
  own === ofPlan ? "" : digits(own);

export function toLimitsForm({ plan, overrides }: TenantTerms): LimitsForm {
  return {
    rateLimits: joinByName(plan.rateLimits, overrides.rateLimits ?? [], nameOf.rateLimits).map(
      ({ id, ofPlan, own }) => ({
        id,
        label: t`Calls in ${String((own ?? ofPlan)?.windowSeconds ?? 0)} s (${id})`,
        ofPlan: ofPlan?.limit,
        own: ownDigits(own?.limit, ofPlan?.limit),
      }),
    ),
    quotas: joinByName(plan.quotas, overrides.quotas ?? [], nameOf.quotas).map(
      ({ id, ofPlan, own }) => ({
        id,
        label: t`${id} in a period`,
        ofPlan: ofPlan?.limit,
        own: ownDigits(own?.limit, ofPlan?.limit),
      }),
    ),
    concurrency: {
      id: "concurrency",
      label: t`Calls at once`,
      ofPlan: plan.concurrency ?? undefined,
      own: digits(overrides.concurrency),
    },
  };
}

/** The list of a tenant, in which each limit that is not its own is the plan's; undefined when none is. */
function toList<One extends { limit: number }>(
  rows: readonly LimitRow[],
  known: readonly One[],
  name: (one: One) => string,
): One[] | undefined {
  if (rows.every(({ own }) => own.trim() === "")) {
    return;
  }
  return rows.flatMap(({ id, own, ofPlan }) => {
    const one = known.find((candidate) => name(candidate) === id);
    const limit = own.trim() === "" ? ofPlan : Number(own);
    return one === undefined || limit === undefined ? [] : [{ ...one, limit }];
  });
}

export function toOverrides(form: LimitsForm, { plan, overrides }: TenantTerms): TermsOverrides {
  const rateLimits = toList(
    form.rateLimits,
    [...(overrides.rateLimits ?? []), ...plan.rateLimits],
    nameOf.rateLimits,
  );
  const quotas = toList(form.quotas, [...(overrides.quotas ?? []), ...plan.quotas], nameOf.quotas);
  const concurrency = form.concurrency.own.trim();
  return {
    ...(rateLimits && { rateLimits }),
    ...(quotas && { quotas }),
    ...(concurrency !== "" && { concurrency: Number(concurrency) }),
  };
}

/** The first thing that keeps a form from being saved; undefined when nothing does. */
export function findLimitFault(row: LimitRow): string | undefined {
  return /^\d{0,15}$/.test(row.own.trim()) ? undefined : t`A whole number, 0 or more.`;
}
