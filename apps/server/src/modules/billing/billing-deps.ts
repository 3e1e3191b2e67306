import type { AppServices } from "#platform/app-services.ts";
import type { BillingSettings } from "./billing-settings.ts";

/** What use cases of billing need. */
export type BillingDeps = AppServices & { billing: BillingSettings };
