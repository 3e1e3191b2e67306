import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** How much of a quota a tenant has used in its current billing period. */
export type QuotaUse = {
  tenant_id: TenantId;
  meter_id: string;
  environment: "live" | "test";
  period_start: Date;
  period_end: Date;
  kind: "hard" | "soft";
  /** Units of the meter. */
  quota_limit: number;
  /** An exact decimal. */
  used: string;
  /** Units that a crash blocks until the period ends, as good as used; 0 for a soft quota, which blocks nothing. */
  forfeited: string;
};

function selectUse(tx: Tx) {
  return tx`
    select b.tenant_id, b.meter_id, b.environment, b.period_start, b.period_end, b.used::text as used,
      q ->> 'kind' as kind, (q ->> 'limit')::double precision as quota_limit,
      case when q ->> 'kind' = 'hard' then (
        select coalesce(sum(l.remaining), 0) from leases l
        where l.tenant_id = b.tenant_id and l.meter_id = b.meter_id and l.environment = b.environment
          and l.period_start = b.period_start and l.key_id is null and l.state = 'forfeited'
      ) else 0 end::text as forfeited
    from balances b
      join entitlements e on e.tenant_id = b.tenant_id
      cross join lateral jsonb_array_elements(e.terms -> 'quotas') q`;
}

/**
 * Lists how much tenants have used of their quotas in the billing periods around `now`, page by page. Leaves out unused quotas.
 * Needs the operator role.
 *
 * @param page.after - The last row of the page before.
 */
export async function listQuotaUse(
  tx: Tx,
  page: {
    now: Date;
    after: Pick<QuotaUse, "period_end" | "tenant_id" | "meter_id" | "environment"> | undefined;
    limit: number;
  },
): Promise<QuotaUse[]> {
  const { now, after } = page;
  return await tx<QuotaUse[]>`
    ${selectUse(tx)}
    where b.period_end > ${now} and b.period_start <= ${now} and q ->> 'meter' = b.meter_id
      and (b.period_end, b.tenant_id, b.meter_id, b.environment) > (
        ${after?.period_end ?? now}::timestamptz, ${after?.tenant_id ?? ""}::text, ${after?.meter_id ?? ""}::text,
        ${after?.environment ?? ""}::text
      )
    order by b.period_end, b.tenant_id, b.meter_id, b.environment
    limit ${page.limit}`;
}

/** Finds the current use of one quota of a tenant, as {@link listQuotaUse} lists it. Needs the operator role. */
export async function findQuotaUse(
  tx: Tx,
  of: Pick<QuotaUse, "tenant_id" | "meter_id" | "environment"> & { now: Date },
): Promise<QuotaUse | undefined> {
  const [row] = await tx<QuotaUse[]>`
    ${selectUse(tx)}
    where b.tenant_id = ${of.tenant_id} and b.meter_id = ${of.meter_id} and b.environment = ${of.environment}
      and b.period_end > ${of.now} and b.period_start <= ${of.now} and q ->> 'meter' = b.meter_id
    order by b.period_start desc
    limit 1`;
  return row;
}
