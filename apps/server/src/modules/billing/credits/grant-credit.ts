import type { Credits } from "@turnpike/contract/credits";
import type { UpcomingInvoice } from "@turnpike/contract/invoices";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { addGrant, type GrantKind } from "@turnpike/domain/billing/invoices/grant";
import { writeAudit } from "#modules/audit/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { changeAccount, noSubscription, readAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { toUpcomingInvoice } from "../invoices/get-upcoming-invoice.ts";
import { toMinorAmount } from "../invoices/to-minor-amount.ts";
import { GrantedBefore } from "./credits.store.ts";
import { readCredits } from "./get-credits.ts";
import { refuseInput } from "./refuse-input.ts";

export type GrantInput = AccountKey & {
  kind: GrantKind;
  amount: string;
  priority: number;
  effectiveAt?: string | undefined;
  expiresAt?: string | undefined;
};

/** @throws {AppError} `INVALID_REQUEST` */
function addTo(account: Account, input: GrantInput, atMs: number): Account {
  const { kind, amount, priority, effectiveAt, expiresAt } = input;
  const { currency } = account.terms;
  const effectiveAtMs = effectiveAt === undefined ? atMs : Date.parse(effectiveAt);
  const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
  if (expiresAtMs !== undefined && expiresAtMs <= Math.max(atMs, effectiveAtMs)) {
    throw refuseInput("/expiresAt", "Must be in the future, and after the credit takes effect.");
  }
  const grant = {
    kind,
    granted: toMinorAmount(amount, { currency, pointer: "/amount" }),
    priority,
    effectiveAtMs,
    expiresAtMs,
    topUp: undefined,
  };
  return { ...account, credit: addGrant(account.credit, grant, { atMs }) };
}

/**
 * Grants credit to a tenant. For the operator's actors. A `reference` counts once.
 *
 * @throws {AppError} `CONFLICT` without a plan, now or before; `RESOURCE_NOT_FOUND` (tenant), `INVALID_REQUEST`,
 *   `INSUFFICIENT_SCOPE`.
 */
export async function grantCredit(
  deps: BillingDeps,
  context: CallContext,
  input: GrantInput & { reason: string; reference?: string | undefined },
): Promise<Credits> {
  const { tenantId, environment, kind, amount, expiresAt, reason, reference } = input;
  assertMayInTenant(context.actor, "invoices:write", tenantId);
  const key = { tenantId, environment };
  try {
    await changeAccount(deps, context, {
      key,
      step: (account, { atMs }) => addTo(account, input, atMs),
      events: [{ kind: "credit.granted", details: { kind, amount } }],
      noteReason: "",
      creditReason: { reason, reference },
      alsoWrites: (tx) =>
        writeAudit(deps, tx, context, {
          tenantId,
          action: "credit.granted",
          entityType: "tenant",
          entityId: tenantId,
          details: { environment, kind, amount, expiresAt: expiresAt ?? null, reason },
        }),
    });
  } catch (error) {
    if (!(error instanceof GrantedBefore)) {
      throw error;
    }
  }
  return await deps.transact.asOperator((tx) => readCredits(deps, tx, key));
}

/**
 * Shows what the next invoice would be with a grant, and without. Nothing is stored.
 *
 * @throws {AppError} Like {@link grantCredit}.
 */
export async function previewCredit(
  deps: BillingDeps,
  context: CallContext,
  input: GrantInput,
): Promise<{ without: UpcomingInvoice; with: UpcomingInvoice }> {
  const { tenantId, environment } = input;
  assertMayInTenant(context.actor, "invoices:write", tenantId);
  const key = { tenantId, environment };
  return await deps.transact.asOperator(async (tx) => {
    const loaded = await readAccount(deps, tx, { key });
    if (loaded === undefined) {
      throw noSubscription();
    }
    const nowMs = deps.clock.now().getTime() + (loaded.row?.aheadMs ?? 0);
    const granted = { ...loaded, account: addTo(loaded.account, input, nowMs) };
    return {
      without: await toUpcomingInvoice(tx, key, { loaded, nowMs }),
      with: await toUpcomingInvoice(tx, key, { loaded: granted, nowMs }),
    };
  });
}
