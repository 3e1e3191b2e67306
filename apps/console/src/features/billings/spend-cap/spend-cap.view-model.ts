import { t } from "@lingui/core/macro";
import type { MeterBarProps } from "@turnpike/ui/meter-bar";
import { listPercentages } from "#platform/format-measure.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import type { SpendCap } from "./spend-cap.queries.ts";

/** What the card shows of a cap that counts. */
export type CapInForce = {
  spent: string;
  /** 0 to 1 of the cap. */
  share: number;
  isReached: boolean;
  /** What stops at the cap, and when it is lifted. */
  says: string;
};

/** @returns Undefined while no cap counts: there is none, or no plan with a price runs. */
export function toCapInForce({ cap, currency, period }: SpendCap): CapInForce | undefined {
  if (cap === null || period === null) {
    return;
  }
  const ends = formatDate(period.to);
  return {
    spent: t`${formatMoney(period.spent, currency)} of ${formatMoney(cap, currency)}`,
    share: Number(cap) === 0 ? 1 : Math.min(1, Number(period.spent) / Number(cap)),
    isReached: period.isReached,
    says: period.isReached
      ? t`Calls that cost something are denied until ${ends}, or until the cap is raised. Keys, settings and calls that cost nothing go on.`
      : t`At the cap, calls that cost something are denied. You are never charged more for usage; keys, settings and calls that cost nothing go on.`,
  };
}

/** Names the cap that counts, where the operator has set one. */
export function describeSource({
  cap,
  tenantCap,
  operatorCap,
  currency,
}: SpendCap): string | undefined {
  if (operatorCap === null) {
    return;
  }
  return tenantCap === null || operatorCap === cap
    ? t`The provider's cap is ${formatMoney(operatorCap, currency)} a period, and counts.`
    : t`The provider's cap is ${formatMoney(operatorCap, currency)} a period; your own is smaller and counts.`;
}

export function describeShares(shares: readonly number[]): string {
  return shares.length === 0
    ? t`No notices are sent.`
    : t`Notices go out at ${listPercentages(shares)}.`;
}

export function toneOf({ isReached, share }: CapInForce): MeterBarProps["tone"] {
  if (isReached) {
    return "danger";
  }
  return share >= 0.8 ? "warning" : "accent";
}
