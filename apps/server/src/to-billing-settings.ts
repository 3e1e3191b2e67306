import type { BillingSettings } from "#modules/billing/index.ts";
import type { Config } from "./config.ts";

/** What billing needs of the configuration. */
export function toBillingSettings({
  billing,
  brand,
}: Pick<Config, "billing" | "brand">): BillingSettings {
  const { seller, dunning, ...rest } = billing;
  return {
    ...rest,
    dunning: { retryDays: dunning.reminderDays, graceDays: dunning.graceDays },
    seller: {
      name: seller.name === "" ? brand.name : seller.name,
      lines: seller.address,
      country: seller.country ?? null,
      taxId: seller.taxId ?? null,
      email: seller.email ?? null,
    },
  };
}
