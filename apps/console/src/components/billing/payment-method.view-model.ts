import { t } from "@lingui/core/macro";
import type { PaymentMethod } from "#platform/billing-queries.ts";

const TYPES: Readonly<Record<string, string>> = {
  card: t`Card`,
  sepa_debit: t`SEPA direct debit`,
  us_bank_account: t`Bank account`,
  link: t`Link`,
};

function toTitle(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");
}

/** "Visa ending in 4242" */
export function nameMethod({
  type,
  brand,
  last4,
}: Pick<PaymentMethod, "type" | "brand" | "last4">): string {
  const name = brand === null ? (TYPES[type] ?? toTitle(type)) : toTitle(brand);
  return last4 === null ? name : t`${name} ending in ${last4}`;
}
