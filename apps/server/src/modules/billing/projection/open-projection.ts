import type { UpcomingInvoice } from "@turnpike/contract/invoices";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { isPriced } from "@turnpike/domain/billing/catalog/billing-plan";
import type {
  ProjectedAccount,
  ProjectedInvoice,
} from "@turnpike/domain/billing/projection/project-invoices";
import { listRuns } from "@turnpike/domain/billing/subscription/subscription";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Currency } from "@turnpike/domain/money/currency";
import { shareOf } from "#platform/transact.ts";
import { listReferences } from "../accounts/account-state.ts";
import { readAccount } from "../accounts/change-account.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { spansOf } from "../invoices/get-upcoming-invoice.ts";
import { toDraft } from "../invoices/to-draft.ts";

/** What is said of a projected invoice, beside its bounds. */
export type ProjectedDraft = Pick<UpcomingInvoice, "lines" | "net" | "taxes" | "from" | "to">;

/** The account of a tenant with what it takes to look ahead: a value that another thread may compute with. */
export type Projection = {
  projected: ProjectedAccount;
  currency: Currency;
  /** Meters whose usage is charged. */
  meters: string[];
  /** Words for what was projected from it. */
  describe(projected: ProjectedInvoice): ProjectedDraft;
};

function listPricedMeters({ account: { subscription } }: LoadedAccount): string[] {
  const cards = (subscription === undefined ? [] : listRuns(subscription)).flatMap(({ plan }) =>
    plan.phases.flatMap((phase) => phase.cards),
  );
  return [...new Set(cards.filter(isPriced).flatMap(({ meterId }) => meterId ?? []))];
}

function toProjection(loaded: LoadedAccount, nowMs: number): Projection | undefined {
  const { row, account, plans: library } = loaded;
  if (row === undefined || account.subscription?.state !== "running") {
    return;
  }
  const plans = listReferences(row.state).plans.map((reference) => library.book.get(reference));
  const { currency } = account.terms;
  return {
    projected: {
      account,
      fromMs: row.advancedTo.getTime(),
      usages: loaded.usages,
      nowMs: effectiveMs(nowMs, row),
      plans,
    },
    currency,
    meters: listPricedMeters(loaded),
    describe({ invoice, plansOfRuns, coupons }) {
      const planOf = new Map(plansOfRuns.map(([order, place]) => [order, plans[place]]));
      const { lines, net, taxes } = toDraft(invoice, {
        plans: library,
        planOf: ({ runOrder }) => planOf.get(runOrder),
        coupons,
        currency,
      });
      return { lines, net, taxes, ...spansOf(invoice) };
    },
  };
}

/**
 * Reads an account to look ahead from: what it will be charged follows from `projectInvoices`, by what bills. Nothing is stored.
 *
 * @returns `undefined` while no plan with a price runs.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`.
 */
export async function openProjection(
  deps: BillingDeps,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<Projection | undefined> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    const key = { tenantId, environment: "live" as const };
    const loaded = await readAccount(deps, tx, { key });
    return loaded && toProjection(loaded, deps.clock.now().getTime());
  }, shareOf(context.actor));
}
