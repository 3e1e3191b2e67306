import { rateEndMs } from "@turnpike/domain/billing/tax/accounting-tax";
import { decideTax } from "@turnpike/domain/billing/tax/tax-decision";
import type { AppServices } from "#platform/app-services.ts";
import type { BillingSettings } from "../billing-settings.ts";
import { type CustomerCountryRow, listCustomerCountries } from "./setup.store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long before a rate ends the operator hears of it. */
const AHEAD_MS = 7 * DAY_MS;

/** Currencies of customers whose invoices have tax that is stated in the seller's currency as well. */
function listNeeded(
  { accounting, tax: seller }: BillingSettings,
  customers: readonly CustomerCountryRow[],
): string[] {
  if (accounting === undefined || seller === undefined) {
    return [];
  }
  const taxed = customers.filter(({ country, region, taxIdStatus, isExempt }) => {
    const decision = decideTax(seller, {
      country: country ?? undefined,
      region: region ?? undefined,
      taxId: undefined,
      taxIdStatus: taxIdStatus ?? undefined,
      isExempt,
    });
    return decision.of === "rates";
  });
  const codes = new Set(taxed.map(({ currency }) => currency));
  codes.delete(accounting.currency.code);
  return [...codes].sort();
}

/** Which exchange rates are missing, or end within a week, for customers who have a subscription; undefined when none is. */
export function findRateTrouble(
  settings: BillingSettings,
  { customers, nowMs }: { customers: readonly CustomerCountryRow[]; nowMs: number },
): string | undefined {
  const { accounting } = settings;
  const parts = listNeeded(settings, customers).flatMap((currency) => {
    const endMs =
      accounting === undefined ? undefined : rateEndMs(accounting, { currency, atMs: nowMs });
    if (endMs === undefined || endMs <= nowMs) {
      return [`${currency} has no rate`];
    }
    return endMs <= nowMs + AHEAD_MS
      ? [`the rate of ${currency} ends on ${new Date(endMs).toISOString().slice(0, 10)}`]
      : [];
  });
  return parts.length === 0
    ? undefined
    : `Add exchange rates to billing.tax.exchangeRates, or invoices wait: ${parts.join(", ")}.`;
}

/** What health says of exchange rates before an invoice has to wait for one. */
export async function findMissingRates(
  { transact, clock }: Pick<AppServices, "transact" | "clock">,
  settings: BillingSettings,
): Promise<string | undefined> {
  if (settings.accounting === undefined) {
    return;
  }
  const customers = await transact.asOperator(listCustomerCountries);
  return findRateTrouble(settings, { customers, nowMs: clock.now().getTime() });
}
