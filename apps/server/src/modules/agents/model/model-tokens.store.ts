import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** A tenant's budget of a day, such as `2026-06-03`, in UTC. */
type BudgetDay = { tenantId: TenantId; day: string };

/**
 * Takes tokens from the budget, also when other processes take some at the same time.
 *
 * @returns False when fewer are left.
 */
export async function takeTokens(
  tx: Tx,
  { tenantId, day, tokens, tokensMax }: BudgetDay & { tokens: number; tokensMax: number },
): Promise<boolean> {
  const rows = await tx`
    insert into model_tokens as t (tenant_id, day, tokens)
    select ${tenantId}, ${day}::date, ${tokens}::bigint where ${tokens}::bigint <= ${tokensMax}::bigint
    on conflict (tenant_id, day) do update set tokens = t.tokens + excluded.tokens
      where t.tokens + excluded.tokens <= ${tokensMax}::bigint
    returning 1`;
  return rows.length > 0;
}

/** Corrects what was taken; `tokens` is below zero where less was needed. */
export async function correctTokens(
  tx: Tx,
  { tenantId, day, tokens }: BudgetDay & { tokens: number },
): Promise<void> {
  await tx`
    update model_tokens set tokens = greatest(0, tokens + ${tokens}::bigint)
    where tenant_id = ${tenantId} and day = ${day}::date`;
}

export async function countTokens(tx: Tx, { tenantId, day }: BudgetDay): Promise<number> {
  const [row] = await tx<{ tokens: number }[]>`
    select tokens::float8 as tokens from model_tokens
    where tenant_id = ${tenantId} and day = ${day}::date`;
  return row?.tokens ?? 0;
}

/** Deletes the days before. */
export async function deleteOldTokens(tx: Tx, { tenantId, day }: BudgetDay): Promise<void> {
  await tx`delete from model_tokens where tenant_id = ${tenantId} and day < ${day}::date`;
}
