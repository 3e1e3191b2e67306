import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Trouble } from "@turnpike/domain/insights/tenant-outlook";

/** Of so many tenants or forecasts, the first by their ids are looked at. */
const ROWS_MAX = 10_000;

/** Open insights of tenants that tell of unpaid invoices. Needs the operator role, as all here. */
export async function listTroubles(tx: Tx): Promise<{ tenantId: TenantId; kind: Trouble }[]> {
  return await tx<{ tenantId: TenantId; kind: Trouble }[]>`
    select distinct i.tenant_id as "tenantId", i.kind
    from insights i join tenants t using (tenant_id)
    where i.kind in ('payment_failed', 'invoice_overdue') and i.ended_at is null and t.deleted_at is null
    order by 1, 2
    limit ${ROWS_MAX}`;
}

/** What a meter is forecast to have been used by the end of its period, with 80 % between its bounds: decimals. */
export type ForecastUse = { tenantId: TenantId; meter: string; lower80: string; periodTo: Date };

/** The newest forecast of each meter of each tenant for its running period. */
export async function listForecastUses(tx: Tx, now: Date): Promise<ForecastUse[]> {
  return await tx<ForecastUse[]>`
    select distinct on (k.tenant_id, k.measure) k.tenant_id as "tenantId", substr(k.measure, 7) as meter,
      k.lower80::text as lower80, k.period_to as "periodTo"
    from kept_forecasts k join tenants t using (tenant_id)
    where k.measure like 'meter:%' and k.period_from <= ${now} and k.period_to > ${now} and t.deleted_at is null
    order by k.tenant_id, k.measure, k.made_on desc
    limit ${ROWS_MAX}`;
}
