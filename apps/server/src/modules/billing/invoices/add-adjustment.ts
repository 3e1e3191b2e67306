import type { Subscription } from "@turnpike/contract/subscriptions";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { adjust } from "@turnpike/domain/billing/lifecycle/adjust";
import { recordStates } from "@turnpike/domain/billing/lifecycle/advance";
import { StepRefused } from "@turnpike/domain/billing/steps/step";
import { writeAudit } from "#modules/audit/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { type AccountStep, changeAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { getSubscription } from "../subscriptions/get-subscription.ts";
import { toMinorAmount } from "./to-minor-amount.ts";

type AdjustmentInput = AccountKey & {
  description: string;
  amount: string;
  taxClass: string;
  when: "now" | "next_invoice";
  reason: string;
};

function toStep({ description, amount, taxClass, when }: AdjustmentInput): AccountStep {
  return (account, { atMs }) => {
    const waits = when === "next_invoice";
    if (waits && account.subscription?.state === "ended") {
      throw new StepRefused(
        "no_subscription",
        "The subscription has ended, so no invoice is to come: charge it now.",
      );
    }
    const { currency } = account.terms;
    const minor = toMinorAmount(amount, { currency, pointer: "/amount" });
    const charge = { amount: minor, label: description, taxClass };
    return recordStates(adjust(account, charge, { atMs, waits }), atMs);
  };
}

/**
 * Charges a tenant something that no plan has, on an invoice of its own or on the next one. For the operator's actors.
 *
 * @throws {AppError} `CONFLICT` without a plan, now or before; `RESOURCE_NOT_FOUND` (tenant), `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function addAdjustment(
  deps: BillingDeps,
  context: CallContext,
  input: AdjustmentInput,
): Promise<Subscription> {
  const { tenantId, environment, description, amount, when, reason } = input;
  // No role has the scope.
  assertMayInTenant(context.actor, "invoices:write", tenantId);
  const key = { tenantId, environment };
  await changeAccount(deps, context, {
    key,
    step: toStep(input),
    events: [{ kind: "adjusted", details: { description, amount, when } }],
    noteReason: "",
    alsoWrites: (tx) =>
      writeAudit(deps, tx, context, {
        tenantId,
        action: "adjustment.added",
        entityType: "tenant",
        entityId: tenantId,
        details: { environment, description, amount, when, reason },
      }),
  });
  return await getSubscription(deps, context, key);
}
