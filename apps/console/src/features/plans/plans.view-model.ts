import { t } from "@lingui/core/macro";
import type { Environment } from "#platform/current-environment.ts";
import { formatCount, formatShare } from "#platform/format.ts";
import { type Limits, type Meter, type Plan, TIGHT_SHARE } from "#platform/shared-queries.ts";
import { nameUnit, nameUnits } from "#platform/unit-words.ts";

/** How this period's usage would fill one quota of a plan. */
export type QuotaFit = {
  key: string;
  /** The used share of the quota; above 1 it would not have fitted. */
  share: number;
  tone: "accent" | "warning" | "danger";
  text: string;
};

/** Sorts plans by price, the smallest number first, in any currency; of equal ones the order stays. */
export function sortPlans<P extends Pick<Plan, "pricePerMonth">>(plans: readonly P[]): P[] {
  return plans.toSorted((a, b) => Number(a.pricePerMonth) - Number(b.pricePerMonth));
}

/**
 * Compares a tenant's usage so far with the quotas of a plan, for calls with keys of one environment.
 *
 * @param tenantName - For a reader who visits the tenant; left out, the text says “you”.
 * @returns One line for each quota of the plan; empty for a plan without quotas.
 */
export function toQuotaFits(
  plan: { quotas: readonly Plan["quotas"][number][] },
  limits: Pick<Limits, "balances">,
  meters: readonly Meter[],
  environment: Environment,
  tenantName?: string,
): readonly QuotaFit[] {
  return plan.quotas.map(({ meter, limit }) => {
    // Uses usage rather than quotas: the tenant's own plan may have no quota on a meter that it uses.
    const balance = limits.balances.find(
      (each) => each.meter === meter && each.environment === environment,
    );
    const used = Number(balance?.used ?? 0);
    const share = limit === 0 ? (used > 0 ? Number.POSITIVE_INFINITY : 0) : used / limit;
    const unit = meters.find(({ meterId }) => meterId === meter)?.unit ?? meter;
    const units = used === 1 ? nameUnit(unit) : nameUnits(unit);
    const quantity = `${formatCount(used)} ${units}`;
    const text = describeFit({ share, quantity, tenantName });
    return {
      key: meter,
      share: Math.min(1, share),
      tone: share >= 1 ? "danger" : share >= TIGHT_SHARE ? "warning" : "accent",
      text,
    };
  });
}

/**
 * Where a link to the operator's contact leads.
 *
 * @returns Undefined for anything but a web address or an e-mail address.
 */
export function toContactHref(contact: string): string | undefined {
  if (/^https?:\/\//i.test(contact) && URL.canParse(contact)) {
    return contact;
  }
  // Encoded, so that nothing in the mailbox name becomes a mail header.
  const [, mailbox, host] = /^([^@\s]+)@([^@\s:/?#&]+)$/.exec(contact) ?? [];
  return mailbox === undefined || host === undefined
    ? undefined
    : `mailto:${encodeURIComponent(mailbox)}@${host}`;
}

/** @param fit.share - Of the quota that was used; more than 1 for more than it. */
function describeFit(fit: {
  share: number;
  quantity: string;
  tenantName: string | undefined;
}): string {
  const { share, quantity, tenantName } = fit;
  if (share > 1) {
    return tenantName === undefined
      ? t`Your usage this period (${quantity}) exceeds this plan’s quota`
      : t`${tenantName}’s usage this period (${quantity}) exceeds this plan’s quota`;
  }
  return tenantName === undefined
    ? t`You have used ${formatShare(share)} of this so far (${quantity})`
    : t`${tenantName} has used ${formatShare(share)} of this so far (${quantity})`;
}
