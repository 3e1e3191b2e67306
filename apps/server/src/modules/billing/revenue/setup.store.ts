import type { Tx } from "@turnpike/db/client";

/** Countries of customers with a live subscription, with whether one of them has a confirmed tax id; null for no country. */
export type CustomerCountryRow = {
  country: string | null;
  region: string | null;
  taxIdStatus: "confirmed" | "pending" | "invalid" | null;
  isExempt: boolean;
  currency: string;
  customers: number;
};

/** How customers with a live subscription are taxed, and how many are alike. Needs the operator role. */
export async function listCustomerCountries(tx: Tx): Promise<CustomerCountryRow[]> {
  return await tx<CustomerCountryRow[]>`
    select d.country, d.region, d.tax_id_status as "taxIdStatus", d.exemption is not null as "isExempt", a.currency, count(*)::int as customers
    from billing_accounts a join tenants t using (tenant_id) left join billing_details d using (tenant_id)
    where a.environment = 'live' and a.life in ('trialing', 'active', 'paused', 'scheduled')
    group by 1, 2, 3, 4, 5`;
}

/** Tax classes of plans that are offered or subscribed to. */
export async function listTaxClasses(tx: Tx): Promise<string[]> {
  const rows = await tx<{ taxClass: string }[]>`
    select distinct coalesce(card ->> 'taxClass', 'standard') as "taxClass"
    from billing_accounts a
      join plan_versions v on v.plan_id = a.plan_id and v.version = a.plan_version
      left join lateral jsonb_array_elements(v.terms -> 'phases') as p (phase) on true
      left join lateral jsonb_array_elements(p.phase -> 'rateCards') as c (card) on true
    where a.environment = 'live'
    order by 1`;
  return rows.map(({ taxClass }) => taxClass);
}

/** Currencies of prepaid plans that customers have. */
export async function listPrepaidCurrencies(tx: Tx): Promise<string[]> {
  const rows = await tx<{ currency: string }[]>`
    select distinct a.currency
    from billing_accounts a
      join tenants t using (tenant_id)
      join plan_versions v on v.plan_id = a.plan_id and v.version = a.plan_version
    where a.environment = 'live' and a.life in ('trialing', 'active') and (v.terms ->> 'isPrepaid')::boolean
    order by 1`;
  return rows.map(({ currency }) => currency);
}
