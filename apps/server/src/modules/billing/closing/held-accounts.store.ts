import type { Tx } from "@turnpike/db/client";
import type { AccountKey } from "../accounts/accounts.store.ts";

/**
 * Marks accounts that cannot be closed; the next closing that succeeds takes the mark off.
 *
 * @returns Those that had no mark before.
 */
export async function holdRows(
  tx: Tx,
  held: readonly { key: AccountKey; reason: string }[],
  { now, retryAt }: { now: Date; retryAt: Date },
): Promise<AccountKey[]> {
  const rows = tx.json(held.map(({ key, reason }) => ({ ...key, reason })) as never);
  const marked = await tx<(AccountKey & { isNew: boolean })[]>`
    update billing_accounts a
    set held_reason = n.reason, held_since = coalesce(a.held_since, ${now}), due_at = ${retryAt}
    from json_to_recordset(${rows}::json) as n ("tenantId" text, environment text, reason text)
    where a.tenant_id = n."tenantId" and a.environment = n.environment and a.due_at <= ${now}
    returning a.tenant_id as "tenantId", a.environment, a.held_since = ${now} as "isNew"`;
  return marked.filter(({ isNew }) => isNew);
}

/** How many accounts wait for the operator, and why the oldest does. */
export async function countHeld(
  tx: Tx,
): Promise<{ count: number; reason: string; since: Date } | undefined> {
  const [row] = await tx<{ count: number; reason: string; since: Date }[]>`
    select count(*) over ()::int as count, held_reason as reason, held_since as since
    from billing_accounts where held_since is not null
    order by held_since limit 1`;
  return row;
}
