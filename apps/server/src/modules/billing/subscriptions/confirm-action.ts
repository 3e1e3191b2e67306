import type { Subscription, SubscriptionAction } from "@turnpike/contract/subscriptions";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { shareOf } from "#platform/transact.ts";
import { type AccountKey, hasConfirmed, listAccounts } from "../accounts/accounts.store.ts";
import { changeAccount } from "../accounts/change-account.ts";
import { environmentNow } from "../accounts/environment-now.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { insertRedemption } from "./coupon-redemptions.store.ts";
import { findTarget } from "./find-target.ts";
import { readSubscription } from "./get-subscription.ts";
import { assertMayChoose, computeQuote } from "./quote-action.ts";
import { hashQuote, QUOTE_MS } from "./to-quote.ts";
import { type ActionTarget, toStep } from "./to-step.ts";

export type ConfirmInput = AccountKey & { action: SubscriptionAction; at: string; hash: string };

/** The change would come to something else than what was quoted. */
class QuoteMoved extends Error {
  override readonly name = "QuoteMoved";
}

/** The subscription as the answer to those who may change it. */
async function answer(
  deps: BillingDeps,
  context: CallContext,
  key: AccountKey,
): Promise<Subscription> {
  return await deps.transact.asOperator(
    (tx) => readSubscription(deps, tx, key),
    shareOf(context.actor),
  );
}

async function quoteAgain(
  deps: BillingDeps,
  context: CallContext,
  input: ConfirmInput,
): Promise<AppError> {
  const quote = await computeQuote(deps, context, input);
  return new AppError({
    code: "QUOTE_CHANGED",
    publicMessage:
      "The change would come to another sum by now. Nothing was changed: confirm the new quote.",
    extensions: { quote },
  });
}

/** The action without what was left out. */
function toDetails(action: SubscriptionAction): { [member: string]: string } {
  return Object.fromEntries(
    Object.entries(action).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** @throws {AppError} `CONFLICT` when the coupon is used up. */
async function redeem(
  tx: Tx,
  { key, target, now }: { key: AccountKey; target: ActionTarget; now: Date },
): Promise<void> {
  const { coupon } = target;
  const couponId = coupon?.coupon.couponId;
  if (coupon === undefined || couponId === undefined) {
    return;
  }
  if (!(await insertRedemption(tx, key, { couponId, max: coupon.maxRedemptions, now }))) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "This coupon was redeemed as often as it can be.",
      extensions: { reason: "coupon_used_up" },
    });
  }
}

/** True for an instant that a quote of the last ten minutes may have. */
async function isFresh(deps: BillingDeps, key: AccountKey, atMs: number): Promise<boolean> {
  const [row] = await deps.transact.asOperator((tx) => listAccounts(tx, [key]));
  const nowMs = deps.clock.now().getTime() + (row?.aheadMs ?? 0);
  return (
    atMs <= nowMs &&
    nowMs < atMs + QUOTE_MS &&
    (row === undefined || atMs >= row.advancedTo.getTime())
  );
}

/**
 * Confirms a quote: does the action at the instant of the quote, when it comes to exactly what was quoted. Confirming twice changes
 * once.
 *
 * @throws {AppError} `QUOTE_CHANGED` with a new quote when it would come to anything else, or is older than ten minutes;
 *   `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST`, `CONFLICT`.
 */
export async function confirmAction(
  deps: BillingDeps,
  context: CallContext,
  input: ConfirmInput,
): Promise<Subscription> {
  const { tenantId, environment, action, hash } = input;
  assertMayInTenant(context.actor, "billing:write", tenantId);
  assertMayChoose(context, action);
  const key = { tenantId, environment };
  const wasDone = () =>
    deps.transact.asOperator((tx) => hasConfirmed(tx, key, hash), shareOf(context.actor));
  if (await wasDone()) {
    return await answer(deps, context, key);
  }
  const details = toDetails(action);
  const atMs = Date.parse(input.at);
  if (!(await isFresh(deps, key, atMs))) {
    throw await quoteAgain(deps, context, input);
  }
  const target = await deps.transact.asOperator(async (tx) =>
    findTarget(tx, context, { action, now: await environmentNow(deps, tx, key) }),
  );
  try {
    await changeAccount(
      deps,
      context,
      {
        key,
        wanted: target.plan === undefined ? [] : [target.plan],
        atMs,
        step: toStep(action, target),
        events: [{ kind: `asked.${action.do}`, details: { ...details, hash } }],
        noteReason: "The plan was changed.",
        async alsoWrites(tx) {
          await redeem(tx, { key, target, now: deps.clock.now() });
          await writeAudit(deps, tx, context, {
            tenantId,
            action: "subscription.changed",
            entityType: "tenant",
            entityId: tenantId,
            details: { environment, ...details },
          });
        },
      },
      ({ loaded, after }) => {
        if (hashQuote({ loaded, after, action, atMs }) !== hash) {
          throw new QuoteMoved();
        }
      },
    );
  } catch (error) {
    // The same confirmation may have been under way: then it no longer comes to what it did.
    if (await wasDone()) {
      return await answer(deps, context, key);
    }
    throw error instanceof QuoteMoved ? await quoteAgain(deps, context, input) : error;
  }
  return await answer(deps, context, key);
}
