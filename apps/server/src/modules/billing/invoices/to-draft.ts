import type { InvoiceLine, UpcomingInvoice } from "@turnpike/contract/invoices";
import type { Account } from "@turnpike/domain/billing/account/account";
import type { BillingPlan } from "@turnpike/domain/billing/catalog/billing-plan";
import type { Invoice } from "@turnpike/domain/billing/invoices/invoice";
import type { Line, LineOwner } from "@turnpike/domain/billing/rating/line";
import { listRuns } from "@turnpike/domain/billing/subscription/subscription";
import { formatMinor } from "@turnpike/domain/money/currency";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import { describeLine, type LineContext, meterOf } from "./describe-line.ts";
import { toInvoiceLine, toTax } from "./to-invoice-line.ts";

/** Names for the lines of a change: its runs are those before it and those after it. */
export function createLineContext(loaded: LoadedAccount, after: Account): LineContext {
  const runs = new Map<number, BillingPlan>();
  for (const { subscription } of [loaded.account, after]) {
    for (const run of subscription === undefined ? [] : listRuns(subscription)) {
      runs.set(run.order, run.plan);
    }
  }
  return {
    plans: loaded.plans,
    planOf: ({ runOrder }: LineOwner) => runs.get(runOrder),
    coupons: after.coupons,
    currency: after.terms.currency,
  };
}

/** A line that is not issued yet. @param number - From 1. */
export function toDraftLine(line: Line, number: number, context: LineContext): InvoiceLine {
  const meterId = meterOf(line, context);
  return toInvoiceLine(line, {
    number,
    description: describeLine(line, context),
    meterId,
    unit: meterId === null ? null : context.plans.unitOf(meterId),
    coupons: context.coupons,
    currency: context.currency,
  });
}

type DraftTotals = Pick<
  UpcomingInvoice,
  "currency" | "lines" | "net" | "taxes" | "total" | "fromBalance" | "prepaid"
>;

/** An invoice that is not issued yet. */
export function toDraft(invoice: Invoice, context: LineContext): DraftTotals {
  const { currency } = context;
  const money = (minor: bigint) => formatMinor(minor, currency);
  return {
    currency: currency.code,
    lines: invoice.lines.map((line, index) => toDraftLine(line, index + 1, context)),
    net: money(invoice.net),
    taxes: invoice.taxes.map((tax) => toTax(tax, currency)),
    total: money(invoice.total),
    fromBalance: money(invoice.fromBalance),
    prepaid: money(invoice.prepaid),
  };
}
