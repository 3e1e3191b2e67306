import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findEntitlement, setStandingWithin } from "#modules/entitlements/index.ts";
import { type CreditState, findCreditState } from "#modules/metering/index.ts";
import type { BillingDeps } from "../billing-deps.ts";

const CREDIT_CONTEXT: CallContext = {
  actor: { type: "system", id: "billing" },
  requestId: "billing.credit",
};

/**
 * Gives a tenant in good standing the standing of one without credit, and takes it away. What invoices say of a tenant goes before. Part
 * of a transaction of the operator role.
 *
 * @param state - What is left; undefined where no prepaid plan runs.
 */
export async function syncOutOfCredit(
  deps: BillingDeps,
  tx: Tx,
  { tenantId, state }: { tenantId: TenantId; state: CreditState | undefined },
): Promise<void> {
  const [from, to] =
    state?.isEmpty === true
      ? (["current", "out_of_credit"] as const)
      : (["out_of_credit", "current"] as const);
  const entitlement = await findEntitlement(tx, tenantId);
  if (entitlement?.standing === from) {
    await setStandingWithin(deps, tx, CREDIT_CONTEXT, { tenantId, standing: to });
  }
}

/** Lets a tenant be in good standing in the transaction that adds credit, or begins another plan. */
export async function liftOutOfCredit(
  deps: BillingDeps,
  tx: Tx,
  tenantId: TenantId,
): Promise<void> {
  const entitlement = await findEntitlement(tx, tenantId);
  if (entitlement?.standing !== "out_of_credit") {
    return;
  }
  const state = await findCreditState(tx, tenantId);
  if (state?.isEmpty !== true) {
    await setStandingWithin(deps, tx, CREDIT_CONTEXT, { tenantId, standing: "current" });
  }
}
