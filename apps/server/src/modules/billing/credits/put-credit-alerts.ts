import type { Credits } from "@turnpike/contract/credits";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { shareOf } from "#platform/transact.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { toMinorAmount } from "../invoices/to-minor-amount.ts";
import { lockCreditAlerts, readCreditAlerts, writeCreditAlerts } from "./credit-alerts.store.ts";
import { readCredits } from "./get-credits.ts";

/**
 * Sets when a tenant hears of what is left of its credit. It does not hear again of a share that it knows.
 *
 * @param input.below - A sum in major units; null for none.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function putCreditAlerts(
  deps: BillingDeps,
  context: CallContext,
  input: { tenantId: TenantId; shares: readonly number[]; below: string | null },
): Promise<Credits> {
  const { tenantId, below } = input;
  assertMayInTenant(context.actor, "billing:write", tenantId);
  const key = { tenantId, environment: "live" as const };
  return await deps.transact.asOperator(async (tx) => {
    const { currency } = await readCredits(deps, tx, key);
    const shares = [...new Set(input.shares)].toSorted((a, b) => b - a);
    await lockCreditAlerts(tx, tenantId);
    await writeCreditAlerts(tx, tenantId, {
      ...(await readCreditAlerts(tx, tenantId)),
      shares,
      below:
        below === null
          ? null
          : toMinorAmount(below, { currency: currencyOf(currency), pointer: "/below" }),
      toldBelow: false,
    });
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "credit_alerts.changed",
      entityType: "tenant",
      entityId: tenantId,
      details: { shares: shares.join(", "), below: below ?? "" },
    });
    return await readCredits(deps, tx, key);
  }, shareOf(context.actor));
}
