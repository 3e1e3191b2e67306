import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What a subscription of the environment `live` brings in a month from an instant on. */
export type PositionWrite = {
  tenantId: TenantId;
  /** From 1: the first is what was there before anything changed. */
  place: number;
  at: string;
  /** Since when what was there before is so, for an account of which nothing is recorded yet. */
  sinceAt: string;
  currency: string;
  /** Minor units. */
  amount: string;
  planId: string;
};

/**
 * Records where the recurring revenue of tenants has changed. What is recorded already is not recorded again, so that all positions of
 * an account may be given. What differs from the records without a change of the account (a tenant that was restored, a customer with
 * another tax) counts from now on, and never before what is recorded.
 */
export async function recordPositions(
  tx: Tx,
  rows: readonly PositionWrite[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  await tx`
    with given as (
      select * from json_to_recordset(${tx.json(rows as never)}::json) as n ("tenantId" text, place int, "at" timestamptz,
        "sinceAt" timestamptz, currency text, amount numeric, "planId" text)
    ), placed as (
      select g.*, coalesce(k.sequence, 0) as known,
        coalesce(lag(g.amount) over by_place, k.amount, 0) as before,
        max(greatest(k.happened_at, case
          when g.place > 1 then g."at"
          when k.sequence is null then g."sinceAt"
          when k.amount <> g.amount then ${now}::timestamptz
        end)) over by_place as happened_at
      from given g left join lateral (
        select r.sequence, r.amount, r.happened_at from revenue_changes r
        where r.tenant_id = g."tenantId" order by r.sequence desc limit 1
      ) k on true
      window by_place as (partition by g."tenantId" order by g.place)
    )
    insert into revenue_changes (tenant_id, sequence, happened_at, recorded_at, currency, amount, plan_id)
    select "tenantId", known + row_number() over (partition by "tenantId" order by place), happened_at, ${now}, currency, amount,
      "planId"
    from placed where amount <> before`;
}

/** Records that a tenant brings nothing from now on. */
export async function endRevenue(
  tx: Tx,
  { tenantId, now }: { tenantId: TenantId; now: Date },
): Promise<void> {
  await tx`
    insert into revenue_changes (tenant_id, sequence, happened_at, recorded_at, currency, amount, plan_id)
    select tenant_id, sequence + 1, greatest(happened_at, ${now}), ${now}, currency, 0, plan_id
    from (
      select * from revenue_changes where tenant_id = ${tenantId} order by sequence desc limit 1
    ) last
    where amount > 0`;
}
