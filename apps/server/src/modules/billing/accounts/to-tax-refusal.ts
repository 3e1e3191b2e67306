import { NoExchangeRate } from "@turnpike/domain/billing/tax/accounting-tax";
import { NoTaxRate } from "@turnpike/domain/billing/tax/tax-lines";
import { AppError } from "@turnpike/domain/errors/app-error";

/** True for what only the operator can fix: until then an account waits. */
export function isTaxGap(error: unknown): error is NoTaxRate | NoExchangeRate {
  return error instanceof NoTaxRate || error instanceof NoExchangeRate;
}

/**
 * What a customer reads when a table of the operator, of taxes or of exchange rates, has no row for them; the operator's log has which.
 * Other errors stay as they are.
 */
export function toTaxRefusal(error: unknown): unknown {
  if (!isTaxGap(error)) {
    return error;
  }
  const isTax = error instanceof NoTaxRate;
  return new AppError({
    code: "CONFLICT",
    publicMessage: isTax
      ? "The rate of tax for this customer is not set up yet, so no price can be named. The operator has to add it."
      : "The exchange rate that an invoice in this currency has to name is not set up yet, so none can be issued. The operator has to add it.",
    extensions: { reason: isTax ? "no_tax_rate" : "no_exchange_rate" },
    cause: error,
  });
}
