import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** An amount in minor units, as text. */
type Minor = string;

/** Customers of one currency that moved alike in a month. The row without a month is what was there before the first one. */
export type MovementRow = {
  currency: string;
  /** Such as 2026-11; null before the first month. */
  month: string | null;
  isFromZero: boolean;
  isToZero: boolean;
  /** 1 up, -1 down. */
  direction: number;
  hadBefore: boolean;
  change: Minor;
  customers: number;
};

/**
 * Sums the movements of recurring revenue in whole months, UTC: each customer moves once in a month, from what it brought as the
 * month began to what it brought at its end.
 */
export async function sumMovements(
  tx: Tx,
  { from, to }: { from: Date; to: Date },
): Promise<MovementRow[]> {
  return await tx<MovementRow[]>`
    with placed as (
      select tenant_id, currency, sequence, amount, month, lead(month) over by_time as next_month,
        min(happened_at) filter (where amount > 0) over by_time as first_at
      from (
        select *, case when happened_at >= ${from} then date_trunc('month', happened_at, 'UTC') else '-infinity' end as month
        from revenue_changes
        where happened_at < ${to}
      ) r
      window by_time as (partition by tenant_id order by sequence)
    ), moved as (
      select currency, month, amount as after, first_at < month as had_before,
        coalesce(lag(amount) over (partition by tenant_id order by sequence), 0) as before
      from placed
      where next_month is distinct from month
    )
    select currency, case when isfinite(month) then to_char(month at time zone 'UTC', 'YYYY-MM') end as month,
      before = 0 as "isFromZero", after = 0 as "isToZero", sign(after - before)::int as direction,
      coalesce(had_before, false) as "hadBefore", sum(after - before)::text as change, count(*)::int as customers
    from moved
    where after <> before
    group by 1, 2, 3, 4, 5, 6`;
}

export type CustomerRow = {
  tenantId: TenantId;
  tenantName: string;
  planId: string;
  before: Minor;
  after: Minor;
  hadBefore: boolean;
};

/** What the rows of a list are: all that bring something at the end, or those that moved, in any way or in one. */
export type CustomerFilter =
  | { of: "closing" }
  | { of: "moved"; kind?: "new" | "expansion" | "contraction" | "churned" | "reactivated" };

/** A place in a list in the order of size. */
export type SizePlace = { size: string; id: string };

/** What customers of a currency brought as a range began and at its end, the largest first. A deleted tenant has its name on invoices. */
export async function listCustomers(
  tx: Tx,
  {
    currency,
    from,
    to,
    filter,
    after,
    limit,
  }: {
    currency: string;
    from: Date;
    to: Date;
    filter: CustomerFilter;
    after: SizePlace | undefined;
    limit: number;
  },
): Promise<CustomerRow[]> {
  const kinds = {
    new: tx`before = 0 and not had_before`,
    reactivated: tx`before = 0 and had_before`,
    churned: tx`after = 0`,
    expansion: tx`before > 0 and after > before`,
    contraction: tx`after > 0 and after < before`,
  };
  const size = filter.of === "closing" ? tx`after` : tx`abs(after - before)`;
  const ofKind = filter.of === "moved" && filter.kind !== undefined ? kinds[filter.kind] : tx`true`;
  return await tx<CustomerRow[]>`
    with ends as (
      select tenant_id, (array_agg(plan_id order by sequence desc))[1] as plan_id,
        (array_agg(amount order by sequence desc))[1] as after,
        coalesce((array_agg(amount order by sequence desc) filter (where happened_at < ${from}))[1], 0) as before,
        coalesce(bool_or(amount > 0) filter (where happened_at < ${from}), false) as had_before
      from revenue_changes
      where currency = ${currency} and happened_at < ${to}
      group by tenant_id
    ), page as (
      select *, ${size} as size
      from ends
      where ${filter.of === "closing" ? tx`after > 0` : tx`after <> before`} and ${ofKind}
        ${after === undefined ? tx`` : tx`and (${size}, tenant_id) < (${after.size}::numeric, ${after.id})`}
      order by size desc, tenant_id desc
      limit ${limit}
    )
    select p.tenant_id as "tenantId", coalesce(t.name, named.name, p.tenant_id) as "tenantName", p.plan_id as "planId",
      p.before::text as before, p.after::text as after, p.had_before as "hadBefore"
    from page p left join tenants t using (tenant_id)
      left join lateral (
        select i.customer ->> 'name' as name from invoices i
        where t.tenant_id is null and i.tenant_id = p.tenant_id and i.environment = 'live'
        order by i.invoice_id desc limit 1
      ) named on true
    order by p.size desc, p.tenant_id desc`;
}

export type UsageSumRow = { currency: string; month: string; usage: Minor };

/** Usage revenue of invoices by the month of issue. */
export async function sumUsage(
  tx: Tx,
  { from, to }: { from: Date; to: Date },
): Promise<UsageSumRow[]> {
  return await tx<UsageSumRow[]>`
    select currency, to_char(issued_at at time zone 'UTC', 'YYYY-MM') as month, sum(usage)::text as usage
    from invoices
    where environment = 'live' and state <> 'void' and issued_at >= ${from} and issued_at < ${to}
    group by 1, 2`;
}

export type UsageInvoiceRow = {
  invoiceId: string;
  tenantId: TenantId;
  tenantName: string;
  number: string;
  issuedAt: Date;
  usage: Minor;
};

/** Invoices with usage, the largest first. */
export async function listUsageInvoiceRows(
  tx: Tx,
  {
    currency,
    from,
    to,
    after,
    limit,
  }: {
    currency: string;
    from: Date;
    to: Date;
    after: SizePlace | undefined;
    limit: number;
  },
): Promise<UsageInvoiceRow[]> {
  return await tx<UsageInvoiceRow[]>`
    select i.invoice_id as "invoiceId", i.tenant_id as "tenantId", coalesce(t.name, i.customer ->> 'name') as "tenantName", i.number,
      i.issued_at as "issuedAt", i.usage::text as usage
    from invoices i left join tenants t using (tenant_id)
    where i.environment = 'live' and i.state <> 'void' and i.currency = ${currency} and i.usage <> 0
      and i.issued_at >= ${from} and i.issued_at < ${to}
      ${after === undefined ? tx`` : tx`and (i.usage, i.invoice_id) < (${after.size}::numeric, ${after.id})`}
    order by i.usage desc, i.invoice_id desc
    limit ${limit}`;
}
