import { instantsLiteral } from "@turnpike/db/array-literal";
import type { Tx } from "@turnpike/db/client";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { AccountKey } from "../accounts/accounts.store.ts";

/**
 * Sums usage that happened in half-open ranges of time, by meter.
 *
 * @returns One map for each range, at the same place; scaled by 10^12.
 */
export async function sumUsageIn(
  tx: Tx,
  ranges: readonly (AccountKey & { fromMs: number; toMs: number })[],
): Promise<Map<string, bigint>[]> {
  const sums = ranges.map(() => new Map<string, bigint>());
  if (ranges.length === 0) {
    return sums;
  }
  const rows = await tx<{ place: number; meterId: string; quantity: string }[]>`
    select asked.place::int as place, u.meter_id as "meterId", u.quantity::text as quantity
    from unnest(${ranges.map(({ tenantId }) => tenantId)}::text[], ${ranges.map(({ environment }) => environment)}::text[],
        ${instantsLiteral(ranges.map(({ fromMs }) => fromMs))}::text::timestamptz[],
        ${instantsLiteral(ranges.map(({ toMs }) => toMs))}::text::timestamptz[])
      with ordinality as asked (tenant_id, environment, from_at, to_at, place)
      cross join lateral (
        select e.meter_id, sum(e.quantity) as quantity
        from ledger_entries e
        where e.tenant_id = asked.tenant_id and e.environment = asked.environment
          and e.occurred_at >= asked.from_at and e.occurred_at < asked.to_at and e.quantity > 0
        group by 1
      ) u`;
  for (const { place, meterId, quantity } of rows) {
    sums[place - 1]?.set(meterId, toScaled(quantity));
  }
  return sums;
}
