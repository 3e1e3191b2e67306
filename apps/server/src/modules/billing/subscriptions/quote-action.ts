import type { Quote, SubscriptionAction } from "@turnpike/contract/subscriptions";
import { assertMayInTenant, type CallContext, may } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { shareOf } from "#platform/transact.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { noSubscription, playStep, readAccount } from "../accounts/change-account.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import { environmentNow } from "../accounts/environment-now.ts";
import { toTaxRefusal } from "../accounts/to-tax-refusal.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { findTarget } from "./find-target.ts";
import { toQuote } from "./to-quote.ts";
import { toStep } from "./to-step.ts";

export type QuoteInput = AccountKey & { action: SubscriptionAction };

/** How the rest of a period is credited is the operator's choice. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export function assertMayChoose({ actor }: CallContext, action: SubscriptionAction): void {
  if ("proration" in action && action.proration !== undefined && !may(actor, "invoices:write")) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: "Only the operator chooses how the rest of a period is credited.",
      extensions: { requiredScope: "invoices:write" },
    });
  }
}

/** {@link quoteAction} for an actor who may. */
export async function computeQuote(
  deps: BillingDeps,
  context: CallContext,
  { tenantId, environment, action }: QuoteInput,
): Promise<Quote> {
  const key = { tenantId, environment };
  return await deps.transact.asOperator(async (tx) => {
    const now = await environmentNow(deps, tx, key);
    const target = await findTarget(tx, context, { action, now });
    const wanted = target.plan === undefined ? [] : [target.plan];
    const loaded = await readAccount(deps, tx, { key, wanted });
    if (loaded === undefined) {
      throw noSubscription();
    }
    const atMs = effectiveMs(now.getTime(), loaded.row);
    const after = playStep(loaded, { atMs, step: toStep(action, target) });
    try {
      return toQuote({ loaded, after, action, atMs });
    } catch (error) {
      throw toTaxRefusal(error);
    }
  }, shareOf(context.actor));
}

/**
 * Quotes an action: what it would charge or credit now. It is done on a copy of the account, and nothing is kept of it.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` or `CONFLICT` when the action cannot be
 *   done.
 */
export async function quoteAction(
  deps: BillingDeps,
  context: CallContext,
  input: QuoteInput,
): Promise<Quote> {
  assertMayInTenant(context.actor, "billing:read", input.tenantId);
  assertMayChoose(context, input.action);
  return await computeQuote(deps, context, input);
}
