import type { MigrationRow, MigrationTotals } from "@turnpike/contract/plan-migrations";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { toBillingPlan } from "@turnpike/domain/billing/catalog/to-billing-plan";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { getPublishableTerms, listMeterRows } from "#modules/catalog/index.ts";
import { listPlanSubscribers, type PlanSubscriber } from "#modules/entitlements/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { type ComparedSubscriber, compareSubscribers } from "./compare-subscribers.ts";

/** Subscribers in memory at once. */
const BATCH = 50;

export type PreviewInput = {
  planId: string;
  fromVersion?: number | undefined;
  to: number | "draft";
  /** Subscribers up to this one are left out, in the order of their ids. */
  after?: TenantId | undefined;
};

type Sum = {
  currency: Currency;
  more: number;
  less: number;
  same: number;
  beforeMinor: bigint;
  afterMinor: bigint;
};

/** Adds up what a preview has said. */
function createTotals() {
  const counts = { subscribers: 0, unbilled: 0, refused: 0 };
  const sums = new Map<string, Sum>();
  return {
    add({ row, compared }: ComparedSubscriber): void {
      counts.subscribers += 1;
      if (compared === undefined) {
        counts[row.fault === null ? "unbilled" : "refused"] += 1;
        return;
      }
      const { currency, beforeMinor, afterMinor } = compared;
      const none = { currency, more: 0, less: 0, same: 0, beforeMinor: 0n, afterMinor: 0n };
      const sum = sums.get(currency.code) ?? none;
      sum[afterMinor > beforeMinor ? "more" : afterMinor < beforeMinor ? "less" : "same"] += 1;
      sum.beforeMinor += beforeMinor;
      sum.afterMinor += afterMinor;
      sums.set(currency.code, sum);
    },
    toReply(): MigrationTotals {
      const currencies = [...sums.values()].map(
        ({ currency, beforeMinor, afterMinor, ...rest }) => ({
          currency: currency.code,
          ...rest,
          before: formatMinor(beforeMinor, currency),
          after: formatMinor(afterMinor, currency),
          difference: formatMinor(afterMinor - beforeMinor, currency),
        }),
      );
      return { kind: "totals", ...counts, currencies };
    },
  };
}

/**
 * Compares, for every subscriber of a plan, what its last period cost with what it would cost under another version or the draft: one
 * after the other, in the order of their ids, then the totals. A few dozen are in memory at once.
 *
 * @returns Once it is known that there is something to compare with; the rows then come one by one.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (plan, version, draft); `INVALID_REQUEST` for a draft with faults; `INSUFFICIENT_SCOPE`.
 */
export async function previewMigration(
  deps: BillingDeps,
  context: CallContext,
  { planId, fromVersion, to, after: afterFirst }: PreviewInput,
): Promise<AsyncGenerator<MigrationRow | MigrationTotals>> {
  assertMay(context.actor, "catalog:read");
  assertMay(context.actor, "billing:read");
  const target = await deps.transact.asOperator(async (tx) => {
    const terms = await getPublishableTerms(tx, planId, to);
    const meters = await listMeterRows(tx);
    return { currency: terms.currency, plan: toBillingPlan({ planId, place: 0, terms, meters }) };
  });
  const nowMs = deps.clock.now().getTime();
  const which = { planId, version: fromVersion, notVersion: to === "draft" ? undefined : to };

  async function* rows(): AsyncGenerator<MigrationRow | MigrationTotals> {
    const totals = createTotals();
    let after = afterFirst;
    let page: PlanSubscriber[];
    do {
      const { subscribers, compared } = await deps.transact.asOperator(async (tx) => {
        const found = await listPlanSubscribers(tx, { ...which, after, limit: BATCH });
        const settings = deps.billing;
        return {
          subscribers: found,
          compared: await compareSubscribers(tx, found, { settings, target, nowMs }),
        };
      });
      page = subscribers;
      after = page.at(-1)?.tenantId;
      for (const each of compared) {
        totals.add(each);
        yield each.row;
      }
    } while (page.length === BATCH);
    yield totals.toReply();
  }
  return rows();
}
