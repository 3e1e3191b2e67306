import { AppError } from "@turnpike/domain/errors/app-error";
import type { BillingDeps } from "../billing-deps.ts";
import { createManualProvider } from "./manual/manual-provider.ts";
import {
  type PaymentProvider,
  type PaymentProviderName,
  ProviderDown,
  ProviderMisconfigured,
} from "./payment-provider.ts";

/** The provider that is named, in an environment; `undefined` while it is not configured. */
export function findProvider(
  deps: BillingDeps,
  { environment, provider }: { environment: "live" | "test"; provider: PaymentProviderName },
): PaymentProvider | undefined {
  if (provider === "manual") {
    return createManualProvider(deps);
  }
  const found = deps.payments?.[environment];
  return found?.name === provider ? found : undefined;
}

/** True where customers may transfer: money of the sandbox is none, so none is asked for there. */
export function isByTransfer(
  { billing }: Pick<BillingDeps, "billing">,
  environment: "live" | "test",
): boolean {
  return billing.bank !== undefined && environment === "live";
}

/** What a customer sets up a method at: cards and debits, where they are taken, or else transfers. @throws {AppError} `CONFLICT`. */
export function requireSetup(
  deps: BillingDeps,
  { environment }: { environment: "live" | "test" },
): PaymentProvider {
  return requireFound(
    deps.payments?.[environment] ??
      (isByTransfer(deps, environment) ? createManualProvider(deps) : undefined),
  );
}

/** @throws {AppError} `CONFLICT` for a provider that is not configured. */
export function requireFound(provider: PaymentProvider | undefined): PaymentProvider {
  if (provider === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "Payments are not taken here by card or debit: ask the seller how to pay.",
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
