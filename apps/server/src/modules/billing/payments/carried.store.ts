import type { Fragment, Tx } from "@turnpike/db/client";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { AMOUNT_TOO_SMALL } from "./payment-provider.ts";

/** What is left to pay of an invoice that is waited for; 0 for any other. @param alias - Of the table of invoices. */
export function dueOf(tx: Tx, alias: string): Fragment {
  const i = tx(alias);
  return tx`case when ${i}.state in ('open', 'uncollectible')
    then greatest(${i}.total - ${i}.from_balance - ${i}.prepaid - ${i}.paid - ${i}.credited + ${i}.to_balance, 0) else 0 end`;
}

/**
 * Up to which amount an open invoice is carried: its provider could not charge that, because it is too little. It is charged with the
 * next invoice, and nothing stops because of it. Null for any other invoice. One on which more is due by now is carried no longer.
 */
export function carriedUpTo(tx: Tx, alias: string): Fragment {
  const i = tx(alias);
  return tx`case when ${i}.state = 'open' then (
    select case when a.reason = ${AMOUNT_TOO_SMALL} then a.amount end from payment_attempts a
    where a.invoice_id = ${i}.invoice_id
    order by a.attempt_id desc limit 1
  ) end`;
}

function isCarried(tx: Tx, alias: string): Fragment {
  return tx`coalesce((${carriedUpTo(tx, alias)}) >= ${dueOf(tx, alias)}, false)`;
}

/** What other invoices of the same account carry to an invoice. */
export function carriedTo(tx: Tx, alias: string): Fragment {
  const i = tx(alias);
  return tx`coalesce((
    select sum(${dueOf(tx, "c")}) from invoices c
    where c.tenant_id = ${i}.tenant_id and c.environment = ${i}.environment and c.currency = ${i}.currency
      and c.invoice_id <> ${i}.invoice_id and c.state = 'open' and ${isCarried(tx, "c")}
  ), 0)`;
}

/** Invoices of an account that are carried, the oldest first. */
export async function listCarried(
  tx: Tx,
  { tenantId, environment }: AccountKey,
): Promise<string[]> {
  const rows = await tx<{ invoiceId: string }[]>`
    select c.invoice_id as "invoiceId" from invoices c
    where c.tenant_id = ${tenantId} and c.environment = ${environment} and c.state = 'open' and ${isCarried(tx, "c")}
    order by c.due_at, c.invoice_id`;
  return rows.map(({ invoiceId }) => invoiceId);
}
