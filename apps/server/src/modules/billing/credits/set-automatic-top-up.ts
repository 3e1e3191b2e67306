import type { Credits } from "@turnpike/contract/credits";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { findTenantRow } from "#modules/tenants/index.ts";
import { type AccountKey, listAccounts } from "../accounts/accounts.store.ts";
import { noSubscription } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { toMinorAmount } from "../invoices/to-minor-amount.ts";
import { deleteAutomaticTopUps, putAutomaticTopUp as put } from "./credits.store.ts";
import { readCredits } from "./get-credits.ts";
import { refuseInput } from "./refuse-input.ts";
import { assertOffered, findOffer } from "./top-up-settings.ts";

type AutomaticInput = AccountKey & { threshold: string; amount: string; monthLimit: string };

/**
 * Lets credit be bought by itself when less than `threshold` is left, for at most `monthLimit` in a calendar month.
 *
 * @throws {AppError} `CONFLICT` without a plan or where no credit is sold, `RESOURCE_NOT_FOUND` (tenant), `INVALID_REQUEST`,
 *   `INSUFFICIENT_SCOPE`.
 */
export async function putAutomaticTopUp(
  deps: BillingDeps,
  context: CallContext,
  { threshold, amount, monthLimit, ...key }: AutomaticInput,
): Promise<Credits> {
  const { actor } = context;
  const { tenantId, environment } = key;
  assertMayInTenant(actor, "billing:write", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    const [account] = await listAccounts(tx, [key]);
    if (account === undefined) {
      throw (await findTenantRow(tx, tenantId)) === undefined
        ? resourceNotFound("tenant")
        : noSubscription();
    }
    const currency = currencyOf(account.currency);
    const offer = findOffer(deps.billing.topUps, currency);
    if (offer === undefined) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: `No credit is sold in ${currency.code}.`,
        extensions: { reason: "no_top_ups" },
      });
    }
    const read = (text: string, pointer: string) => toMinorAmount(text, { currency, pointer });
    assertOffered(amount, offer, "/amount");
    const [bought, limit] = [read(amount, "/amount"), read(monthLimit, "/monthLimit")];
    if (limit < bought) {
      throw refuseInput("/monthLimit", "Must be at least the amount.");
    }
    const row = {
      tenantId,
      environment,
      threshold: read(threshold, "/threshold").toString(),
      amount: bought.toString(),
      monthLimit: limit.toString(),
      updatedBy: `${actor.type}:${actor.id}`,
    };
    await put(tx, row, deps.clock.now());
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "automatic_top_up.set",
      entityType: "tenant",
      entityId: tenantId,
      details: { environment, threshold, amount, monthLimit },
    });
    return await readCredits(deps, tx, { tenantId, environment });
  });
}

/** Lets no more credit be bought by itself. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`. */
export async function deleteAutomaticTopUp(
  deps: BillingDeps,
  context: CallContext,
  key: AccountKey,
): Promise<Credits> {
  const { tenantId, environment } = key;
  assertMayInTenant(context.actor, "billing:write", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    const removed = await deleteAutomaticTopUps(tx, { tenantId, environment });
    if (removed > 0) {
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "automatic_top_up.removed",
        entityType: "tenant",
        entityId: tenantId,
        details: { environment },
      });
    }
    return await readCredits(deps, tx, { tenantId, environment });
  });
}
