import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { dueOf } from "../invoices/invoices.store.ts";

export type OverdueRow = {
  invoiceId: string;
  tenantId: TenantId;
  tenantName: string;
  number: string;
  currency: string;
  issuedAt: Date;
  dueAt: Date;
  total: string;
  due: string;
  standing: string;
  /** Of attempts to collect it, once one has failed: a DunningCalendar of the domain package. */
  calendar: { firstFailedMs: number; attemptsPassed: number; isStopped: boolean } | null;
};

/** A place in the list: when an invoice was due, and which. */
export type DuePlace = { dueAt: Date; invoiceId: string };

/**
 * Live invoices that are open and were due in `[from, to)`, the first due first; without `from` also those of which a payment has failed
 * before. Needs the operator role.
 */
export async function listOverdueRows(
  tx: Tx,
  {
    currency,
    from,
    to,
    after,
    limit,
  }: {
    currency: string | undefined;
    from: Date | undefined;
    to: Date;
    after: DuePlace | undefined;
    limit: number;
  },
): Promise<OverdueRow[]> {
  return await tx<OverdueRow[]>`
    select i.invoice_id as "invoiceId", i.tenant_id as "tenantId", coalesce(t.name, i.customer ->> 'name') as "tenantName", i.number,
      i.currency, i.issued_at as "issuedAt", i.due_at as "dueAt", i.total::text as total, (${dueOf(tx)})::text as due,
      coalesce(e.standing, 'current') as standing, failed.calendar
    from invoices i left join tenants t using (tenant_id) left join tenant_entitlements e using (tenant_id)
      left join lateral (
        select c as calendar
        from billing_accounts a, jsonb_array_elements(a.state -> 'calendars') c
        where a.tenant_id = i.tenant_id and a.environment = i.environment and c ->> 'invoiceId' = i.invoice_id
      ) failed on true
    where i.environment = 'live' and i.state = 'open'
      ${from === undefined ? tx`and (i.due_at < ${to} or failed.calendar is not null)` : tx`and i.due_at >= ${from} and i.due_at < ${to}`}
      ${currency === undefined ? tx`` : tx`and i.currency = ${currency}`}
      ${after === undefined ? tx`` : tx`and (i.due_at, i.invoice_id) > (${after.dueAt}, ${after.invoiceId})`}
    order by i.due_at, i.invoice_id
    limit ${limit}`;
}

export type OverdueSumRow = {
  currency: string;
  /** Index of the age. */
  age: number;
  count: number;
  due: string;
};

/** Sums what is overdue, by currency and age. @param ages - Where each age begins, the newest first. */
export async function sumOverdue(tx: Tx, ages: readonly Date[]): Promise<OverdueSumRow[]> {
  const [now] = ages;
  if (now === undefined) {
    return [];
  }
  const begins = ages.map((date) => date.toISOString());
  return await tx<OverdueSumRow[]>`
    select i.currency, (select count(*)::int - 1 from unnest(${begins}::text[]) as a (begins_at) where i.due_at < a.begins_at::timestamptz) as age,
      count(*)::int as count, sum(${dueOf(tx)})::text as due
    from invoices i
    where i.environment = 'live' and i.state = 'open' and i.due_at < ${now}
    group by 1, 2`;
}
