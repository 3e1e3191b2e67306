import type { BankAccountView } from "@turnpike/contract/payments";
import type { BillingSettings } from "../billing-settings.ts";

/** Where transfers go, as customers read it; null when the operator takes none. */
export function toBank({ bank }: Pick<BillingSettings, "bank">): BankAccountView | null {
  return bank === undefined ? null : { ...bank, lines: [...bank.lines] };
}
