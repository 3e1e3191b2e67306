import type { MigrationRow } from "@turnpike/contract/plan-migrations";
import type { Tx } from "@turnpike/db/client";
import { compareVersions } from "@turnpike/domain/billing/account/compare-versions";
import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";
import type { Span } from "@turnpike/domain/billing/rating/line";
import { listIntervals, type VersionInForce } from "@turnpike/domain/billing/rating/list-charges";
import { spanAt } from "@turnpike/domain/billing/subscription/open-run";
import { phaseAt } from "@turnpike/domain/billing/subscription/phases";
import { isSameInterval, planInterval } from "@turnpike/domain/billing/subscription/plan-interval";
import { type Currency, findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import type { PeriodUnit } from "@turnpike/domain/time/period";
import type { PlanSubscriber } from "#modules/entitlements/index.ts";
import { listAccounts } from "../accounts/accounts.store.ts";
import { type LoadedAccount, loadAccounts } from "../accounts/load-accounts.ts";
import type { BillingSettings } from "../billing-settings.ts";
import { sumUsageIn } from "./period-usage.store.ts";

/** The version that subscribers may be moved to. */
export type MigrationTarget = { plan: BillingPlan; currency: string };

/** One subscriber with what its usage costs under both versions, in minor units. */
export type ComparedSubscriber = {
  row: MigrationRow;
  /** Undefined for one that is not billed or cannot be moved. */
  compared: { currency: Currency; beforeMinor: bigint; afterMinor: bigint } | undefined;
};

/** A subscriber whose subscription runs, with the periods that are compared. */
type Comparison = {
  loaded: LoadedAccount;
  currency: Currency;
  before: VersionInForce;
  after: VersionInForce;
  addOns: VersionInForce[];
  intervals: { interval: PeriodUnit; span: Span }[];
  /** The period of the plan. */
  period: Span;
  isWhole: boolean;
};

/** The last period that ended; the running one so far when none has. */
function lastPeriod(
  interval: PeriodUnit,
  { anchorMs, beginsMs, nowMs }: { anchorMs: number; beginsMs: number; nowMs: number },
): { span: Span; isWhole: boolean } {
  const running = spanAt(anchorMs, interval, nowMs);
  const ended = spanAt(anchorMs, interval, running.fromMs - 1);
  return ended.fromMs >= beginsMs
    ? { span: ended, isWhole: true }
    : {
        span: { fromMs: Math.max(running.fromMs, beginsMs), toMs: Math.max(nowMs, beginsMs) },
        isWhole: false,
      };
}

function toComparison(
  loaded: LoadedAccount,
  target: BillingPlan,
  nowMs: number,
): Comparison | undefined {
  const { account, row } = loaded;
  const { subscription, terms } = account;
  if (row === undefined || subscription?.state !== "running") {
    return;
  }
  const { run, anchorMs } = subscription;
  const addOns = subscription.addOns.map(({ plan, inForce: { index }, seats: ownSeats }) => ({
    plan,
    phaseIndex: index,
    seats: ownSeats,
  }));
  const { startMs, seats, hasBeenPriced, inForce } = run;
  const next = phaseAt(target, { startMs, atMs: nowMs, skipsHead: hasBeenPriced });
  const before = { plan: run.plan, phaseIndex: inForce.index, seats };
  const after = { plan: target, phaseIndex: next.index, seats };
  // Before it began, usage was of another plan or of none.
  const beginsMs = Math.max(row.beginsAt.getTime(), subscription.startMs);
  const at = { anchorMs, beginsMs, nowMs };
  const { span: period, isWhole } = lastPeriod(planInterval(inForce.phase), at);
  return {
    loaded,
    currency: terms.currency,
    before,
    after,
    addOns,
    intervals: listIntervals([before, after, ...addOns]).map((interval) => ({
      interval,
      span: lastPeriod(interval, at).span,
    })),
    period,
    isWhole,
  };
}

const UNBILLED = {
  currency: null,
  from: null,
  to: null,
  isWhole: false,
  before: null,
  after: null,
  difference: null,
  fault: null,
} as const;

function toBase({ tenantId, tenantName, planVersion }: PlanSubscriber) {
  return { kind: "subscriber" as const, tenantId, tenantName, planVersion };
}

function compareOne(
  subscriber: PlanSubscriber,
  comparison: Comparison,
  {
    usages,
    target,
    nowMs,
  }: { usages: readonly ReadonlyMap<string, bigint>[]; target: MigrationTarget; nowMs: number },
): ComparedSubscriber {
  const { loaded, before, after, addOns, currency, intervals, period, isWhole } = comparison;
  const { beforeMinor, afterMinor } = compareVersions(loaded.account, {
    ...{ before, after, addOns, currency, atMs: nowMs },
    quantitiesOf: (asked) => {
      const place = intervals.findIndex(({ interval }) => isSameInterval(interval, asked));
      return usages[place] ?? new Map();
    },
  });
  const common = {
    ...toBase(subscriber),
    currency: currency.code,
    from: new Date(period.fromMs).toISOString(),
    to: new Date(period.toMs).toISOString(),
    isWhole,
    before: formatMinor(beforeMinor, currency),
  };
  if (findCurrency(target.currency)?.code !== currency.code) {
    const fault = `The tenant is billed in ${currency.code}, and the version is sold in ${target.currency}.`;
    return { row: { ...common, after: null, difference: null, fault }, compared: undefined };
  }
  return {
    row: {
      ...common,
      after: formatMinor(afterMinor, currency),
      difference: formatMinor(afterMinor - beforeMinor, currency),
      fault: null,
    },
    compared: { currency, beforeMinor, afterMinor },
  };
}

/**
 * Compares what the last period of subscribers cost with what it would cost under another version, by their real usage of it. A
 * handful of queries, however many there are.
 *
 * @returns One for each, at the same place.
 */
export async function compareSubscribers(
  tx: Tx,
  subscribers: readonly PlanSubscriber[],
  {
    settings,
    target,
    nowMs,
  }: { settings: BillingSettings; target: MigrationTarget; nowMs: number },
): Promise<ComparedSubscriber[]> {
  const keys = subscribers.map(({ tenantId }) => ({ tenantId, environment: "live" as const }));
  const rows = await listAccounts(tx, keys);
  const accounts = await loadAccounts(tx, rows, { settings, recordedTo: new Date(nowMs) });
  const comparisons = new Map(
    accounts.flatMap((loaded) => {
      const comparison = toComparison(loaded, target.plan, nowMs);
      return comparison === undefined ? [] : [[loaded.key.tenantId, comparison] as const];
    }),
  );
  const asked = [...comparisons.values()].flatMap(({ loaded, intervals }) =>
    intervals.map(({ span }) => ({ ...loaded.key, ...span })),
  );
  const sums = await sumUsageIn(tx, asked);
  const usagesOf = new Map<string, Map<string, bigint>[]>();
  for (const [index, { tenantId }] of asked.entries()) {
    const own = usagesOf.get(tenantId) ?? [];
    own.push(sums[index] ?? new Map());
    usagesOf.set(tenantId, own);
  }
  return subscribers.map((subscriber) => {
    const comparison = comparisons.get(subscriber.tenantId);
    return comparison === undefined
      ? { row: { ...toBase(subscriber), ...UNBILLED }, compared: undefined }
      : compareOne(subscriber, comparison, {
          usages: usagesOf.get(subscriber.tenantId) ?? [],
          target,
          nowMs,
        });
  });
}
