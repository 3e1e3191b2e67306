import type { BillingDeps } from "#modules/billing/index.ts";
import { toBillingSettings } from "../to-billing-settings.ts";
import type { CommandSession } from "./run-command.ts";

/** What a command needs of billing, beside the services of its session. */
export function toBillingDeps({
  deps,
  config,
}: CommandSession): CommandSession["deps"] & BillingDeps {
  return { ...deps, billing: toBillingSettings(config) };
}
