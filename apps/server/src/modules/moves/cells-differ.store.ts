import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Everything here needs the operator role, and reads what a tenant needs of a cell, or what a cell has. */

/** Something of the catalogue by its name, and all that counts of it, as text to be compared. */
export type CatalogItem = { name: string; content: string };

/** Plans that the tenant is on, was charged for or is to change to, with all their versions. */
export async function listPlansOfTenant(tx: Tx, tenantId: TenantId): Promise<CatalogItem[]> {
  return await tx<CatalogItem[]>`
    with needed as (
      select plan_id from tenant_entitlements where tenant_id = ${tenantId}
      union select plan_id from billing_accounts where tenant_id = ${tenantId}
      union select plan_id from revenue_changes where tenant_id = ${tenantId}
      union select l.plan_id from invoice_lines l where l.tenant_id = ${tenantId} and l.plan_id is not null
      union select p.plan_id from plans p where exists (
        select from billing_accounts a where a.tenant_id = ${tenantId}
          and position(to_jsonb(p.plan_id)::text in a.state::text) > 0)
    )
    select 'plan ' || v.plan_id || ', version ' || v.version as name, v.terms::text as content
    from plan_versions v join needed using (plan_id) order by 1`;
}

/** All versions of these plans, by the same names. */
export async function listPlanVersions(tx: Tx, names: readonly string[]): Promise<CatalogItem[]> {
  return await tx<CatalogItem[]>`
    select * from (
      select 'plan ' || plan_id || ', version ' || version as name, terms::text as content from plan_versions
    ) items where name = any(${[...names]}::text[])`;
}

/** Meters by which something of the tenant was counted, or that its keys limit. */
export async function listMetersOfTenant(tx: Tx, tenantId: TenantId): Promise<string[]> {
  const rows = await tx<{ meter_id: string }[]>`
    select meter_id from balances where tenant_id = ${tenantId}
    union select meter_id from ledger_entries where tenant_id = ${tenantId}
    union select meter_id from meter_rollups where tenant_id = ${tenantId}
    union select meter_id from usage_rollups_hourly where tenant_id = ${tenantId}
    union select meter_id from recent_usage where tenant_id = ${tenantId}
    union select meter_id from billed_periods where tenant_id = ${tenantId}
    union select q ->> 'meter' from api_keys, jsonb_array_elements(quotas) q where tenant_id = ${tenantId}`;
  return rows.map((row) => row.meter_id);
}

export async function listMeters(tx: Tx, meterIds: readonly string[]): Promise<CatalogItem[]> {
  return await tx<CatalogItem[]>`
    select 'meter ' || m.meter_id as name, jsonb_build_array(m.unit, m.aggregation, m.version, m.event_type, m.value_pointer,
      m.dimensions, m.value_max::text, (
        select jsonb_agg(jsonb_build_array(v.version, v.unit, v.event_type, v.value_pointer, v.dimensions, v.value_max::text)
          order by v.version)
        from meter_versions v where v.meter_id = m.meter_id))::text as content
    from meters m where m.meter_id = any(${[...meterIds]}::text[]) order by 1`;
}

export async function listCouponsOfTenant(tx: Tx, tenantId: TenantId): Promise<string[]> {
  const rows = await tx<{ coupon_id: string }[]>`
    select distinct coupon_id from coupon_redemptions where tenant_id = ${tenantId}`;
  return rows.map((row) => row.coupon_id);
}

export async function listCoupons(tx: Tx, couponIds: readonly string[]): Promise<CatalogItem[]> {
  return await tx<CatalogItem[]>`
    select 'coupon ' || coupon_id as name,
      jsonb_build_array(percent::text, amount::text, currency, periods, cards)::text as content
    from coupons where coupon_id = any(${[...couponIds]}::text[]) order by 1`;
}

/** From when on each class of usage is kept; null for ever. */
export async function listKeptFrom(tx: Tx): Promise<{ class: string; keptFrom: Date | null }[]> {
  return await tx<{ class: string; keptFrom: Date | null }[]>`
    select class, kept_from as "keptFrom" from usage_history order by class`;
}

/** Keyed hashes of what the newest node of the cell was started with, by name; undefined when none ran in the last week. */
export async function findFingerprint(
  tx: Tx,
): Promise<Readonly<Record<string, string>> | undefined> {
  const [row] = await tx<{ fingerprint: Readonly<Record<string, string>> }[]>`
    select fingerprint from nodes order by seen_at desc limit 1`;
  return row?.fingerprint;
}

/** Versions of the nodes that gave a sign of life when the last one did; more than one while they are upgraded. */
export async function listVersions(tx: Tx): Promise<string[]> {
  const rows = await tx<{ version: string }[]>`
    select distinct version from nodes
    where seen_at > (select max(seen_at) from nodes) - interval '15 seconds' order by version`;
  return rows.map((row) => row.version);
}

/** Series in which the tenant's documents are numbered, apart from its own ones. */
export async function listSeriesOfTenant(
  tx: Tx,
  tenantId: TenantId,
): Promise<{ series: string; numbers: string[] }[]> {
  return await tx<{ series: string; numbers: string[] }[]>`
    select series, array_agg(series_number::text) as numbers from (
      select series, series_number from invoices where tenant_id = ${tenantId}
      union all select series, series_number from credit_notes where tenant_id = ${tenantId}
    ) numbered
    where not is_own_series(series, ${tenantId})
    group by series order by series`;
}

/** Series in which this cell gives out numbers, and which of the tenant's numbers it gave out itself. */
export async function findSeriesHere(
  tx: Tx,
  { tenantId, series }: { tenantId: TenantId; series: string },
): Promise<{ isForeign: boolean; given: string[] } | undefined> {
  const [row] = await tx<{ isForeign: boolean; given: string[] }[]>`
    select is_foreign as "isForeign", array(
      select series_number::text from moved_numbers where series = ${series} and tenant_id = ${tenantId}) as given
    from document_series where series = ${series}`;
  return row;
}

export type NamesInUse = {
  id: boolean;
  parked: boolean;
  slug: boolean;
  externalId: boolean;
  domains: string[];
};

/** Which names of the tenant another one has here; `id` also for a deleted one. */
export async function findNamesInUse(
  tx: Tx,
  names: {
    tenantId: TenantId;
    slug: string;
    externalId: string | null;
    domains: readonly string[];
  },
): Promise<NamesInUse> {
  const [row] = await tx<[NamesInUse]>`
    select exists (select from tenants where tenant_id = ${names.tenantId}) as id,
      exists (select from parked_rows where tenant_id = ${names.tenantId}) as parked,
      exists (select from tenants where slug = ${names.slug} and deleted_at is null) as slug,
      exists (select from tenants where external_id = ${names.externalId} and deleted_at is null) as "externalId",
      array(
        select domain from sso_domains where domain = any(${[...names.domains]}::text[]) and verified_at is not null
      ) as domains`;
  return row;
}

export async function listProvenDomains(tx: Tx, tenantId: TenantId): Promise<string[]> {
  const rows = await tx<{ domain: string }[]>`
    select domain from sso_domains where tenant_id = ${tenantId} and verified_at is not null`;
  return rows.map((row) => row.domain);
}

/** The clock of the database. */
export async function readClock(tx: Tx): Promise<Date> {
  const [row] = await tx<[{ now: Date }]>`select clock_timestamp() as now`;
  return row.now;
}
