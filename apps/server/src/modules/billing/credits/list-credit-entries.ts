import type { CreditEntry } from "@turnpike/contract/credits";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { formatMinor } from "@turnpike/domain/money/currency";
import { parseCursor } from "#platform/parse-cursor.ts";
import { shareOf } from "#platform/transact.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { type EntryRow, listEntries } from "./credits.store.ts";

function toEntry({ amount, currency, happenedAt, ...row }: EntryRow): CreditEntry {
  return {
    ...row,
    amount: formatMinor(BigInt(amount), currencyOf(currency)),
    at: happenedAt.toISOString(),
  };
}

/**
 * Lists what happened to the credit of a tenant, newest first. What is left of it is the sum of all.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (cursor).
 */
export async function listCreditEntries(
  deps: BillingDeps,
  context: CallContext,
  {
    tenantId,
    environment,
    cursor,
    limit,
  }: AccountKey & { cursor?: string | undefined; limit: number },
): Promise<{ items: CreditEntry[]; nextCursor: string | null }> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  const before = parseCursor(cursor, (text) => (/^\d{1,18}$/.test(text) ? text : undefined));
  const rows = await deps.transact.asOperator(
    (tx) => listEntries(tx, { tenantId, environment }, { before, limit: limit + 1 }),
    shareOf(context.actor),
  );
  const page = rows.slice(0, limit);
  return {
    items: page.map(toEntry),
    nextCursor: rows.length > limit ? (page.at(-1)?.entryId ?? null) : null,
  };
}
