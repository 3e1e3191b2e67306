import type { Sql } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { checkUsage } from "./check-usage.fixture.ts";

type Rule = {
  says: string;
  find: (sql: Sql, tenants: readonly string[], lines: "net" | "gross") => Promise<object[]>;
};

/** What must hold of the documents of tenants, each as the rows that break it. */
const OF_TENANTS: readonly Rule[] = [
  {
    says: "an invoice comes to its lines and taxes",
    find: (sql, tenants, lines) => sql`
      select i.number, i.net, i.tax, i.total from invoices i
      where i.tenant_id = any(${tenants}) and (
        case when ${lines} = 'gross' then i.total else i.net end
          <> (select sum(l.amount) from invoice_lines l where l.invoice_id = i.invoice_id)
        or i.net + i.tax <> i.total
        or i.tax <> (select coalesce(sum((part -> 'amount' ->> '#')::numeric), 0)
          from jsonb_array_elements(i.document -> 'taxes') part)
        or i.from_balance + i.prepaid > i.total or i.total < 0)`,
  },
  {
    says: "a tax is its rate of its base: to the cent on net prices, with the rest of the rounding on gross ones",
    find: (sql, tenants, lines) => sql`
      select i.number, part from invoices i, jsonb_array_elements(i.document -> 'taxes') part
      where i.tenant_id = any(${tenants})
        and abs((part -> 'amount' ->> '#')::numeric
          - round((part -> 'base' ->> '#')::numeric * (part -> 'rate' ->> '#')::numeric / 1e14))
          > case when ${lines} = 'gross' then 1 else 0 end`,
  },
  {
    says: "a coupon lowers the invoices of no more periods than it holds for",
    find: (sql, tenants) => sql`
      select l.tenant_id, coupon ->> 'couponId' as coupon, count(distinct i.document ->> 'periodNumber')
      from invoice_lines l join invoices i using (invoice_id) join billing_accounts a
          on a.tenant_id = l.tenant_id and a.environment = l.environment,
        lateral (select a.state -> 'coupons' -> (l.document ->> 'coupon')::int as coupon) redeemed
      where l.tenant_id = any(${tenants}) and l.kind = 'discount' and i.state <> 'void'
      group by l.tenant_id, l.document ->> 'coupon', coupon
      having coupon ->> 'couponId' is null
        or count(distinct i.document ->> 'periodNumber') > (coupon ->> 'periods')::int`,
  },
  {
    says: "what discounts say is what lines lose, and no line loses more than it has",
    find: (sql, tenants) => sql`
      select invoice_id from invoice_lines where tenant_id = any(${tenants})
      group by invoice_id
      having sum(discount) <> -coalesce(sum(amount) filter (where kind in ('discount', 'promotional')), 0)
        or bool_or(discount > amount) filter (where kind not in ('discount', 'promotional'))`,
  },
  {
    says: "an invoice is credited by its notes, line by line, for no more than it billed",
    find: (sql, tenants) => sql`
      select l.invoice_id, l.line, l.credited, noted.amount from invoice_lines l
        join invoices i using (invoice_id)
        left join lateral (
          select coalesce(sum((part -> 'amount' ->> '#')::numeric), 0) as amount
          from credit_notes n, jsonb_array_elements(n.document -> 'lines') part
          where n.invoice_id = l.invoice_id and (part ->> 'line')::int = l.line - 1
        ) noted on true
      where l.tenant_id = any(${tenants}) and (l.credited <> noted.amount
        or (l.credited > 0 and l.credited > l.amount - l.discount)
        or i.credited <> (select coalesce(sum(n.total), 0) from credit_notes n where n.invoice_id = i.invoice_id))`,
  },
  {
    says: "an invoice is open while something of it is due, and paid by its payments",
    find: (sql, tenants) => sql`
      select number, state, due, paid from (
        select i.*, i.total - i.from_balance - i.prepaid - i.paid - i.credited + i.to_balance as due,
          (select coalesce(sum(p.amount), 0) from invoice_payments p where p.invoice_id = i.invoice_id) as payments
        from invoices i where i.tenant_id = any(${tenants})
      ) i
      where (state = 'paid' and due > 0) or (state in ('open', 'uncollectible') and due <= 0) or paid <> payments
        or (state = 'void' and credited > 0)`,
  },
  {
    says: "the balance is what notes and payments put there, less what invoices took",
    find: (sql, tenants) => sql`
      select a.tenant_id, a.state -> 'balance' ->> '#' as balance, b.balance as expected
      from billing_accounts a join lateral (
        select coalesce(sum(
          -- What is paid on a void invoice becomes balance.
          case when i.state = 'void' then i.paid
            -- What was paid beyond what was due: the rest of the total was settled otherwise.
            else i.paid - (i.total - i.from_balance - i.prepaid - coalesce(n.to_due, 0)
              - greatest(i.total - i.from_balance - i.prepaid - i.paid - i.credited + i.to_balance, 0)) - i.from_balance
          end + coalesce(n.to_balance, 0)), 0) as balance
        from invoices i left join lateral (
          select sum(to_due) as to_due, sum(to_balance) as to_balance from credit_notes where invoice_id = i.invoice_id
        ) n on true
        where i.tenant_id = a.tenant_id and i.environment = a.environment
      ) b on true
      where a.tenant_id = any(${tenants}) and ((a.state -> 'balance' ->> '#')::numeric <> b.balance or b.balance < 0)`,
  },
  {
    says: "the charged periods of a card tile: they neither overlap nor leave out time, but that of a pause",
    find: (sql, tenants) => sql`
      select p.tenant_id, p.run, p.card, p.to_at, p.next_at from (
        select *, lead(from_at) over (partition by tenant_id, environment, run, card order by from_at) as next_at
        from billed_periods where tenant_id = any(${tenants})
      ) p
      where next_at < to_at or (next_at > to_at and not exists (
        select from billing_events e where e.tenant_id = p.tenant_id and e.kind = 'subscription.paused'
          and e.happened_at = p.to_at))`,
  },
  {
    says: "a fee is charged once for each time, unless it was chosen that nothing comes back",
    find: (sql, tenants) => sql`
      select a.tenant_id, a.run, a.card, a.from_at, a.to_at, b.from_at as other_from from invoice_lines a
        join invoice_lines b on b.tenant_id = a.tenant_id and b.run = a.run and b.card = a.card
          and b.kind in ('base', 'proration', 'addOn') and not b.is_returned
          and (b.invoice_id, b.line) > (a.invoice_id, a.line) and b.from_at < a.to_at and a.from_at < b.to_at
      where a.tenant_id = any(${tenants}) and a.kind in ('base', 'proration', 'addOn') and not a.is_returned
        -- Of a void invoice nothing is charged.
        and not exists (select from invoices i where i.invoice_id in (a.invoice_id, b.invoice_id) and i.state = 'void')
        and not exists (select from billing_events e where e.tenant_id = a.tenant_id and e.details ->> 'proration' = 'none')`,
  },
  {
    says: "the history of an account is whole",
    find: (sql, tenants) => sql`
      select a.tenant_id, a.events, count(e.sequence), max(e.sequence) from billing_accounts a
        left join billing_events e using (tenant_id, environment)
      where a.tenant_id = any(${tenants})
      group by a.tenant_id, a.environment
      having a.events <> count(e.sequence) or a.events <> coalesce(max(e.sequence), 0)`,
  },
];

/** What must hold of all tenants together. */
const OF_ALL: readonly Rule[] = [
  {
    says: "a coupon is redeemed as often as it can be, and what is redeemed is what accounts have",
    find: (sql) => sql`
      select couponed.coupon_id, couponed.times, c.max_redemptions from (
        select coupon ->> 'couponId' as coupon_id, count(*) as times
        from billing_accounts a, jsonb_array_elements(a.state -> 'coupons') coupon group by 1
      ) couponed left join coupons c using (coupon_id)
      where couponed.times > c.max_redemptions or couponed.times <> (
        select count(*) from coupon_redemptions r where r.coupon_id = couponed.coupon_id)`,
  },
  {
    says: "the numbers of a series have no gap, and dates rise with them",
    find: (sql) => sql`
      with documents as (
        select series, series_number, issued_at, 'invoice' as kind from invoices
        union all select series, series_number, issued_at, 'note' from credit_notes
      ), ordered as (
        select *, lag(series_number, 1, 0::bigint) over own as number_before, lag(issued_at) over own as issued_before,
          first_value(kind) over own as first_kind
        from documents window own as (partition by series order by series_number)
      )
      select series, series_number, issued_at from ordered
      where series_number <> number_before + 1 or issued_at < issued_before or kind <> first_kind
      union all
      select s.series, s.next, s.last_issued_at from document_series s
      where s.next <> 1 + (select count(*) from documents d where d.series = s.series)`,
  },
];

/**
 * Looks for what must never be, over the documents, accounts and usage of some tenants and over all series.
 *
 * @param lines - Whether amounts of lines have tax in them.
 * @returns One sentence for each rule that is broken, with the first rows that break it.
 */
export async function findViolations(
  sql: Sql,
  tenants: readonly TenantId[],
  lines: "net" | "gross" = "net",
): Promise<string[]> {
  const ids = [...new Set(tenants)];
  const violations: string[] = [];
  for (const { says, find } of [...OF_TENANTS, ...OF_ALL]) {
    const rows = await find(sql, ids, lines);
    if (rows.length > 0) {
      violations.push(`Does not hold: ${says}. ${JSON.stringify(rows.slice(0, 5))}`);
    }
  }
  return [...violations, ...(await checkUsage(sql, ids))];
}
