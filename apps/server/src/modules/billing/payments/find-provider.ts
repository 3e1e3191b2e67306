import { AppError } from "@turnpike/domain/errors/app-error";
import type { BillingDeps } from "../billing-deps.ts";
import {
  type PaymentProvider,
  type PaymentProviderName,
  ProviderDown,
  ProviderMisconfigured,
} from "./payment-provider.ts";

/** The provider of an environment, if it is the one that is named. */
export function findProvider(
  { payments }: BillingDeps,
  { environment, provider }: { environment: "live" | "test"; provider?: PaymentProviderName },
): PaymentProvider | undefined {
  const found = payments?.[environment];
  return provider === undefined || found?.name === provider ? found : undefined;
}

/** @throws {AppError} `CONFLICT` while no provider is configured for the environment. */
export function requireProvider(
  deps: BillingDeps,
  of: { environment: "live" | "test"; provider?: PaymentProviderName },
): PaymentProvider {
  const provider = findProvider(deps, of);
  if (provider === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "Payments are not taken here by card or debit: pay by transfer.",
      extensions: { reason: "no_payment_provider" },
    });
  }
  return provider;
}

/** Asks a provider for a person. @throws {AppError} `PAYMENT_PROVIDER_UNAVAILABLE` when it does not answer or refuses its set-up. */
export async function askProvider<Result>(
  deps: Pick<BillingDeps, "logger">,
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderDown || error instanceof ProviderMisconfigured) {
      deps.logger.warn({ err: error }, "The provider of payments does not answer as it should");
      throw new AppError({
        code: "PAYMENT_PROVIDER_UNAVAILABLE",
        publicMessage:
          "The provider of payments does not take requests now. Nothing was charged; try again later.",
        cause: error,
      });
    }
    throw error;
  }
}
