import type { BillingSetup } from "@turnpike/contract/billing-setup";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { BillingDeps } from "../billing-deps.ts";
import { findHeldAccounts } from "../closing/find-held-accounts.ts";
import { checkSetup } from "./check-setup.ts";
import { listCustomerCountries, listPrepaidCurrencies, listTaxClasses } from "./setup.store.ts";

/**
 * The settings that invoices are made with, as they are in force, and what is missing for a right one.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function getBillingSetup(
  deps: BillingDeps,
  context: CallContext,
): Promise<BillingSetup> {
  assertMay(context.actor, "invoices:read");
  const { billing: settings } = deps;
  const { customers, taxClasses, prepaidCurrencies } = await deps.transact.asOperator(
    async (tx) => ({
      customers: await listCustomerCountries(tx),
      taxClasses: await listTaxClasses(tx),
      prepaidCurrencies: await listPrepaidCurrencies(tx),
    }),
  );
  const sendsMail = deps.mail?.notices.sendsMail === true;
  const { seller, tax, dunning } = settings;
  const { name, lines, country, taxId, email } = seller;
  return {
    seller: { name, lines: [...lines], country, taxId, email },
    tax:
      tax === undefined
        ? null
        : {
            country: tax.country,
            isRegistered: tax.isRegistered,
            pricesInclude: tax.pricesInclude,
            rates: tax.taxRates.length,
            countries: [...new Set(tax.taxRates.map((rate) => rate.country))].sort(),
          },
    paymentDays: settings.paymentDays,
    dunning: { reminderDays: [...dunning.retryDays], graceDays: dunning.graceDays },
    proration: settings.proration,
    invoicePrefix: settings.invoicePrefix,
    creditNotePrefix: settings.creditNotePrefix,
    sendsMail,
    checks: checkSetup({
      settings,
      customers,
      taxClasses,
      prepaidCurrencies,
      held: await findHeldAccounts(deps),
      sendsMail,
      nowMs: deps.clock.now().getTime(),
    }),
  };
}
