import type { Tx } from "@turnpike/db/client";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { CURRENCIES_WITHOUT_CENTS } from "@turnpike/domain/money/currency";

/**
 * Works out the figures of the next tenants in the order of their ids, and writes those that have changed. Needs the operator role.
 *
 * @returns The last of these tenants, and how many rows were written; undefined after the last one.
 */
export async function refreshFigureRows(
  tx: Tx,
  input: {
    after: TenantId | undefined;
    limit: number;
    now: Date;
  },
): Promise<{ last: TenantId; written: number } | undefined> {
  const { after, limit, now } = input;
  const [row] = await tx<{ last: TenantId | null; written: number }[]>`
    with batch as materialized (
      select t.tenant_id, e.terms -> 'quotas' as quotas
      from tenants t join entitlements e using (tenant_id)
      where t.tenant_id > ${after ?? ""}
      order by t.tenant_id limit ${limit}
    ), recent as materialized (
      -- What is not in the charts yet.
      select tenant_id, max(occurred_at) as occurred_at from recent_usage group by 1
    ), fresh as (
      select b.tenant_id, coalesce(requests.used, 0) as used, coalesce(fullest.share, -1) as quota_share,
        greatest(recent.occurred_at, last_minute.occurred_at, last_hour.occurred_at, '-infinity') as last_used_at,
        coalesce(earned.amount, 0) as revenue,
        coalesce(earned.amount, 0) / 10 ^ coalesce(d.digits, 2)::numeric as revenue_size, earned.currency
      from batch b
      left join lateral (
        select used from balances
        where tenant_id = b.tenant_id and meter_id = ${REQUESTS_METER} and environment = 'live'
          and period_start <= ${now} and period_end > ${now}
        order by period_start desc limit 1
      ) requests on true
      left join lateral (
        select max(case when q.size > 0 then floor(coalesce(spent.used, 0) * 1000 / q.size) else 1000 end)::bigint as share
        from (
          select q ->> 'meter' as meter_id, (q ->> 'limit')::numeric as size from jsonb_array_elements(b.quotas) q
        ) q left join lateral (
          select used from balances
          where tenant_id = b.tenant_id and meter_id = q.meter_id and environment = 'live'
            and period_start <= ${now} and period_end > ${now}
          order by period_start desc limit 1
        ) spent on true
      ) fullest on true
      left join recent on recent.tenant_id = b.tenant_id
      left join lateral (
        select occurred_at from usage_rollups_hourly where tenant_id = b.tenant_id order by occurred_at desc limit 1
      ) last_hour on true
      left join lateral (
        select occurred_at from usage_rollups
        where tenant_id = b.tenant_id and occurred_at >= last_hour.occurred_at
          and occurred_at < last_hour.occurred_at + interval '1 hour'
        order by occurred_at desc limit 1
      ) last_minute on true
      left join lateral (
        select amount, currency from revenue_changes where tenant_id = b.tenant_id order by sequence desc limit 1
      ) earned on true
      left join unnest(${CURRENCIES_WITHOUT_CENTS.map(({ code }) => code)}::text[], ${CURRENCIES_WITHOUT_CENTS.map(({ digits }) => digits)}::int[])
        as d (code, digits) on d.code = earned.currency
    ), written as (
      insert into tenant_figures as f (tenant_id, used, quota_share, last_used_at, revenue, revenue_size, currency)
      select tenant_id, used, quota_share, last_used_at, revenue, revenue_size, currency from fresh
      on conflict (tenant_id) do update
        set used = excluded.used, quota_share = excluded.quota_share, last_used_at = excluded.last_used_at,
          revenue = excluded.revenue, revenue_size = excluded.revenue_size, currency = excluded.currency
        where (f.used, f.quota_share, f.last_used_at, f.revenue, f.revenue_size, f.currency) is distinct from
          (excluded.used, excluded.quota_share, excluded.last_used_at, excluded.revenue, excluded.revenue_size, excluded.currency)
      returning 1
    )
    select (select max(tenant_id) from batch) as last, (select count(*)::int from written) as written`;
  return row?.last == null ? undefined : { last: row.last, written: row.written };
}
