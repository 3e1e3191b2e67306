import type { PaymentProviders } from "./payment-provider.ts";
import { createStripeProvider } from "./stripe/stripe-provider.ts";
import type { StripeSettings } from "./stripe/stripe-settings.ts";

/** What is configured of providers. Plain data, so that it may go to another thread. */
export type ProviderSettings = readonly StripeSettings[];

/** Opens the configured providers; none is called before something is asked of it. */
export function openProviders(settings: ProviderSettings): PaymentProviders {
  const open = (environment: "live" | "test") => {
    const found = settings.find((each) => each.environment === environment);
    return found === undefined ? undefined : createStripeProvider(found);
  };
  return { live: open("live"), test: open("test") };
}
