import type { Credits } from "@turnpike/contract/credits";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { revokeCredit as revoke } from "@turnpike/domain/billing/lifecycle/revoke-credit";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { changeAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { findGrant } from "./credits.store.ts";
import { readCredits } from "./get-credits.ts";

/**
 * Takes back what is left of a grant. For the operator's actors.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant, grant), `CONFLICT` when it was bought or nothing is left, `INSUFFICIENT_SCOPE`.
 */
export async function revokeCredit(
  deps: BillingDeps,
  context: CallContext,
  { grantId, reason, ...key }: AccountKey & { grantId: string; reason: string },
): Promise<Credits> {
  const { tenantId, environment } = key;
  assertMayInTenant(context.actor, "invoices:write", tenantId);
  const grant = await deps.transact.asOperator((tx) => findGrant(tx, key, { grantId }));
  if (grant === undefined) {
    throw resourceNotFound("credit grant");
  }
  await changeAccount(deps, context, {
    key,
    step: (account, { atMs }) => revoke(account, { grant: grant.place, atMs }),
    events: [{ kind: "credit.revoked", details: { grantId } }],
    noteReason: "",
    creditReason: { reason },
    alsoWrites: (tx) =>
      writeAudit(deps, tx, context, {
        tenantId,
        action: "credit.revoked",
        entityType: "tenant",
        entityId: tenantId,
        details: { environment, grantId, reason },
      }),
  });
  return await deps.transact.asOperator((tx) => readCredits(deps, tx, key));
}
