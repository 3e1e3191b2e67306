import type { BillingDeps } from "#modules/billing/index.ts";
import { toBillingSettings } from "../to-billing-settings.ts";
import type { CommandSession } from "./run-command.ts";

/** What commands need of billing, beside the services of their session. They send no mail. */
export function toBillingDeps({
  deps,
  config,
}: CommandSession): CommandSession["deps"] & BillingDeps {
  return { ...deps, billing: toBillingSettings(config) };
}
