import type { NotifyDeps } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { TaxIdChecker } from "./billing.ports.ts";
import type { BillingSettings } from "./billing-settings.ts";
import type { PaymentProviders } from "./payments/payment-provider.ts";

/** What use cases of billing need. */
export type BillingDeps = AppServices & {
  billing: BillingSettings;
  /** How mails are sent. Without it, reminders that fall due with a change are in the console only. */
  mail?: Pick<NotifyDeps, "jobs" | "notices">;
  /** What takes cards and debits. Left out: customers pay by transfer. */
  payments?: PaymentProviders | undefined;
  /** Left out: the operator confirms tax ids. */
  checkTaxId?: TaxIdChecker | undefined;
  /** Up to where usage counts as recorded. Left out: up to now, by a cut-off of the database. A demo lives in the past. */
  cutOff?: () => Date;
};
