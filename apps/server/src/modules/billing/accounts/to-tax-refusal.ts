import { NoTaxRate } from "@turnpike/domain/billing/tax/tax-lines";
import { AppError } from "@turnpike/domain/errors/app-error";

/** What a customer reads when the table of rates has none for them; the operator's log has which. Other errors stay as they are. */
export function toTaxRefusal(error: unknown): unknown {
  return error instanceof NoTaxRate
    ? new AppError({
        code: "CONFLICT",
        publicMessage:
          "The rate of tax for this customer is not set up yet, so no price can be named. The operator has to add it.",
        extensions: { reason: "no_tax_rate" },
        cause: error,
      })
    : error;
}
