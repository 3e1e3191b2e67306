import type { ProviderSettings } from "#modules/billing/index.ts";
import type { Config } from "./config.ts";

/** What providers of payments need of the configuration. */
export function toProviderSettings({
  billing,
  stripeKeys,
}: Pick<Config, "billing" | "stripeKeys">): ProviderSettings {
  const { instance, apiUrl } = billing.stripe;
  return (["live", "test"] as const).flatMap((environment) => {
    const keys = stripeKeys[environment];
    return keys === undefined ? [] : [{ environment, instance, apiUrl, ...keys }];
  });
}
