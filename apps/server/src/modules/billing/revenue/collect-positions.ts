import type { Account } from "@turnpike/domain/billing/account/account";
import type { OnSpan } from "@turnpike/domain/billing/lifecycle/pass-time";
import { monthlyRecurringOf } from "@turnpike/domain/billing/revenue/monthly-recurring";
import type { LoadedAccount } from "../accounts/load-accounts.ts";

/** What a subscription brings in a month from an instant on, in minor units. */
export type RevenuePosition = { atMs: number; amount: bigint; planId: string };

/** Takes what an account brings while time passes for it. */
export type RevenueCollector = {
  onSpan: OnSpan;
  /**
   * What it brought when it was loaded, and each change since.
   *
   * @returns Empty for a sandbox, which brings nothing.
   */
  list(after: Account, atMs: number): RevenuePosition[];
};

/** @param onSpan - Sees each span as well. */
export function createRevenueCollector({ key }: LoadedAccount, onSpan: OnSpan): RevenueCollector {
  const positions: RevenuePosition[] = [];
  const take = (account: Account, atMs: number) => {
    if (account.subscription !== undefined && key.environment === "live") {
      const { planId } = account.subscription.run.plan;
      positions.push({ atMs, amount: monthlyRecurringOf(account, atMs), planId });
    }
  };
  return {
    onSpan(account, span) {
      take(account, span.fromMs);
      onSpan(account, span);
    },
    list(after, atMs) {
      take(after, atMs);
      return positions.filter(
        ({ amount }, place) => place === 0 || amount !== positions[place - 1]?.amount,
      );
    },
  };
}
