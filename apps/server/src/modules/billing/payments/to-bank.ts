import type { BankAccountView } from "@turnpike/contract/payments";
import type { BankAccount, BillingSettings } from "../billing-settings.ts";

export function toBankView({ lines, ...bank }: BankAccount): BankAccountView {
  return { ...bank, lines: [...lines] };
}

/** Where transfers go, as customers read it; null when the operator takes none. */
export function toBank({ bank }: Pick<BillingSettings, "bank">): BankAccountView | null {
  return bank === undefined ? null : toBankView(bank);
}
