import type { JsonValue, Tx } from "@turnpike/db/client";

/** A difference: what an invoice was made from, and what it says. `place` says of what. */
export type InvoiceFinding = { what: string; place: JsonValue; ledger: string; derived: string };

/** Invoices whose ids lie in `(after, last]`. */
export type InvoicePage = { after: string; last: string };

/** The next invoices by id. @returns `undefined` behind the last one. */
export async function findInvoicePage(
  tx: Tx,
  after: string,
  limit: number,
): Promise<(InvoicePage & { count: number }) | undefined> {
  const [row] = await tx<[{ last: string | null; count: number }]>`
    select max(invoice_id) as last, count(*)::int as count
    from (select invoice_id from invoices where invoice_id > ${after} order by invoice_id limit ${limit}) page`;
  return row.last === null ? undefined : { after, last: row.last, count: row.count };
}

/**
 * Compares lines of usage with the entries of their window, as far back as all of these are kept: of a stretch what limits let through
 * and kept out together, and late usage by itself. A line that taxes cut is compared as a whole.
 */
export async function findUsageLineDrift(
  tx: Tx,
  { after, last }: InvoicePage,
  rowsMax: number,
): Promise<InvoiceFinding[]> {
  return await tx<InvoiceFinding[]>`
    with kept as (
      select coalesce(kept_from, '-infinity') + interval '1 day' as kept_from from usage_history where class = 'ledger'
    ), billed as (
      select l.invoice_id, min(l.line) as line, l.tenant_id, l.environment, l.meter_id, l.recorded_after, l.recorded_to,
        coalesce(p.from_at, l.from_at) as from_at, coalesce(p.to_at, l.to_at) as to_at, sum(l.quantity) as quantity
      from invoice_lines l left join billed_periods p on p.tenant_id = l.tenant_id and p.environment = l.environment
        and p.run = l.run and p.card = l.card and p.from_at <= l.from_at and l.from_at < p.to_at
      where l.invoice_id > ${after} and l.invoice_id <= ${last} and l.kind in ('usage', 'beyondCap', 'late')
        and l.meter_id is not null
      group by l.invoice_id, l.tenant_id, l.environment, l.meter_id, l.run, l.card, l.kind = 'late', l.recorded_after,
        l.recorded_to, coalesce(p.from_at, l.from_at), coalesce(p.to_at, l.to_at)
    )
    select 'line of usage' as what,
      jsonb_build_object('invoiceId', b.invoice_id, 'line', b.line, 'tenantId', b.tenant_id, 'meter', b.meter_id) as place,
      u.quantity || ' units' as ledger, b.quantity || ' units' as derived
    from billed b left join billing_accounts a using (tenant_id, environment)
      cross join lateral (
        select coalesce(sum(e.quantity), 0) as quantity
        from ledger_entries e cross join lateral (
          select e.occurred_at + interval '1 millisecond' * case when b.environment = 'live' then 0 else coalesce(
            (select s.ahead_ms from sandbox_usage_shifts s
              where s.tenant_id = b.tenant_id and s.recorded_to >= e.recorded_at order by s.recorded_to limit 1),
            a.ahead_ms, 0) end as happened_at
        ) h
        where e.tenant_id = b.tenant_id and e.environment = b.environment and e.meter_id = b.meter_id
          and e.recorded_at > coalesce(b.recorded_after, '-infinity') and e.recorded_at <= b.recorded_to
          and e.occurred_at < b.to_at
          and e.occurred_at >= case when b.environment = 'live' then b.from_at else '-infinity' end
          and h.happened_at >= b.from_at and h.happened_at < b.to_at
      ) u
    where u.quantity <> b.quantity
      and b.from_at - interval '1 millisecond' * coalesce(a.ahead_ms, 0) >= (select kept_from from kept)
    order by b.invoice_id, b.line
    limit ${rowsMax}`;
}

/**
 * Compares the sums of invoices with what they are sums of: lines and taxes, credit notes and payments. With gross prices lines sum to
 * the total; then groups of the document have taxes of their own.
 */
export async function findTotalsDrift(
  tx: Tx,
  { after, last }: InvoicePage,
  rowsMax: number,
): Promise<InvoiceFinding[]> {
  return await tx<InvoiceFinding[]>`
    with page as (
      select i.*, exists (
        select from jsonb_array_elements(i.document -> 'groups') g where jsonb_array_length(g -> 'amounts') > 0
      ) as is_gross
      from invoices i where i.invoice_id > ${after} and i.invoice_id <= ${last}
    )
    select c.what, jsonb_build_object('invoiceId', i.invoice_id, 'number', i.number, 'tenantId', i.tenant_id) as place,
      c.parts || ' minor units' as ledger, c.sum || ' minor units' as derived
    from page i cross join lateral (
      values
        ('lines of an invoice', (select sum(l.amount) from invoice_lines l where l.invoice_id = i.invoice_id),
          case when i.is_gross then i.total else i.net end),
        ('taxes of an invoice',
          (select sum((t -> 'amount' ->> '#')::numeric) from jsonb_array_elements(i.document -> 'taxes') t), i.tax),
        ('credit notes of an invoice', (select sum(n.total) from credit_notes n where n.invoice_id = i.invoice_id), i.credited),
        ('credited lines of an invoice', (
          select sum((c -> 'amount' ->> '#')::numeric)
          from credit_notes n cross join lateral jsonb_array_elements(n.document -> 'lines') c
          where n.invoice_id = i.invoice_id
        ), (select sum(l.credited) from invoice_lines l where l.invoice_id = i.invoice_id)),
        ('payments of an invoice', coalesce(
          (select sum(p.amount) from invoice_payments p where p.invoice_id = i.invoice_id), 0) - coalesce((
            select sum(x.amount) from refunded_invoices x join payment_refunds f using (refund_id)
            where x.invoice_id = i.invoice_id and f.state <> 'failed'
          ), 0), i.paid)
    ) as c (what, parts, sum)
    where coalesce(c.parts, 0) <> coalesce(c.sum, 0)
    order by i.invoice_id, c.what
    limit ${rowsMax}`;
}

/**
 * Finds accounts whose money is not where it went: received is applied to invoices, or on the balance, or refunded. Applied is what
 * invoices had of payments and of the balance, less what credit notes and refunds gave to the balance. It must be what the invoices
 * themselves say that they hold.
 */
export async function findMoneyDrift(tx: Tx, rowsMax: number): Promise<InvoiceFinding[]> {
  return await tx<InvoiceFinding[]>`
    select 'money received' as what,
      jsonb_build_object('tenantId', a.tenant_id, 'environment', a.environment, 'currency', a.currency) as place,
      m.received || ' minor units' as ledger,
      m.applied + m.balance + m.refunded || ' minor units, ' || m.held || ' of them on invoices' as derived
    from billing_accounts a cross join lateral (
      select
        coalesce((select sum(r.amount) from received_payments r
          where r.tenant_id = a.tenant_id and r.environment = a.environment and r.currency = a.currency), 0) as received,
        coalesce((select sum(i.paid + case i.state when 'void' then 0 else i.from_balance end) from invoices i
          where i.tenant_id = a.tenant_id and i.environment = a.environment), 0)
        - coalesce((select sum(p.beyond) from invoice_payments p
          where p.tenant_id = a.tenant_id and p.environment = a.environment), 0)
        - coalesce((select sum(n.to_balance) from credit_notes n
          where n.tenant_id = a.tenant_id and n.environment = a.environment), 0)
        - coalesce((select sum(f.returned_to_balance) from payment_refunds f
          where f.tenant_id = a.tenant_id and f.environment = a.environment), 0)
        - coalesce((select sum(x.reclaimed)
          from refunded_invoices x join payment_refunds f using (refund_id) join invoices i using (invoice_id)
          where f.tenant_id = a.tenant_id and f.environment = a.environment and f.state <> 'failed' and i.state <> 'void'), 0)
          as applied,
        coalesce((select sum(i.paid + case i.state when 'void' then 0 else i.from_balance end - i.to_balance) from invoices i
          where i.tenant_id = a.tenant_id and i.environment = a.environment), 0) as held,
        (a.state -> 'balance' ->> '#')::numeric as balance,
        coalesce((select sum(f.amount) from payment_refunds f
          where f.tenant_id = a.tenant_id and f.environment = a.environment and f.state <> 'failed'), 0) as refunded
    ) m
    where m.received <> m.applied + m.balance + m.refunded or m.held <> m.applied or m.balance < 0
    order by a.tenant_id, a.environment
    limit ${rowsMax}`;
}

/** Finds payments of which invoices, balance and refunds have more or less than was received. */
export async function findPaymentDrift(tx: Tx, rowsMax: number): Promise<InvoiceFinding[]> {
  return await tx<InvoiceFinding[]>`
    select 'parts of a payment' as what, jsonb_build_object('paymentId', r.payment_id, 'tenantId', r.tenant_id) as place,
      r.amount || ' minor units' as ledger, p.amount || ' given, ' || p.refunded || ' refunded' as derived
    from received_payments r cross join lateral (
      select r.to_balance + coalesce((select sum(p.amount) from invoice_payments p where p.received_id = r.payment_id), 0) as amount,
        coalesce((select sum(f.amount) from payment_refunds f where f.payment_id = r.payment_id and f.state <> 'failed'), 0)
          as refunded
    ) p
    where p.amount <> r.amount or p.refunded > r.amount
    order by r.payment_id
    limit ${rowsMax}`;
}

/**
 * Finds series of this cell whose documents are not numbered from 1 to the last number that was given out. Documents of tenants that
 * moved to another cell count.
 */
export async function findSeriesDrift(tx: Tx, rowsMax: number): Promise<InvoiceFinding[]> {
  return await tx<InvoiceFinding[]>`
    select 'series of documents' as what, jsonb_build_object('series', s.series) as place,
      s.next - 1 || ' numbers' as ledger,
      concat_ws(' ', count(d.series_number), 'documents from', min(d.series_number), 'to', max(d.series_number)) as derived
    from document_series s left join (
      select series, series_number from invoices union all select series, series_number from credit_notes
      union all select series, series_number from moved_numbers
    ) d using (series)
    where not s.is_foreign
    group by s.series, s.next
    having count(d.series_number) <> s.next - 1 or coalesce(min(d.series_number), 1) <> 1
      or coalesce(max(d.series_number), 0) <> s.next - 1
    order by s.series
    limit ${rowsMax}`;
}

/** Finds stretches of one card of one plan that overlap, so that usage was charged twice. */
export async function findOverlaps(tx: Tx, rowsMax: number): Promise<InvoiceFinding[]> {
  return await tx<InvoiceFinding[]>`
    select 'charged stretch' as what,
      jsonb_build_object('tenantId', tenant_id, 'environment', environment, 'run', run, 'card', card) as place,
      'from ' || ended_at as ledger, 'from ' || from_at as derived
    from (
      select tenant_id, environment, run, card, from_at,
        lag(to_at) over (partition by tenant_id, environment, run, card order by from_at) as ended_at
      from billed_periods
    ) stretches
    where from_at < ended_at
    limit ${rowsMax}`;
}
