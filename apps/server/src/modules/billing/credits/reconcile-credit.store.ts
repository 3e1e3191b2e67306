import type { Tx } from "@turnpike/db/client";
import type { InvoiceFinding } from "../invoices/reconcile.store.ts";

/** Compares what accounts say is left of each grant with the sum of its entries. */
export async function findCreditDrift(tx: Tx, rowsMax: number): Promise<InvoiceFinding[]> {
  return await tx<InvoiceFinding[]>`
    with stated as (
      select a.tenant_id, a.environment, (g.ordinality - 1)::int as place, (g.value -> 'left' ->> '#')::numeric as "left"
      from billing_accounts a cross join jsonb_array_elements(a.state -> 'grants') with ordinality g
    ), entered as (
      select g.tenant_id, g.environment, g.place, coalesce(sum(e.amount), 0) as "left"
      from credit_grants g
        join billing_accounts a using (tenant_id, environment)
        left join credit_entries e using (tenant_id, environment, place)
      group by g.tenant_id, g.environment, g.place
    )
    select 'credit of an account' as what,
      jsonb_build_object('tenantId', tenant_id, 'environment', environment, 'grant', place) as place,
      coalesce(e."left"::text, 'no') || ' minor units' as ledger, coalesce(s."left"::text, 'no') || ' minor units' as derived
    from stated s full join entered e using (tenant_id, environment, place)
    where s."left" is distinct from e."left"
    order by tenant_id, environment, place
    limit ${rowsMax}`;
}

/** Compares what invoices say that they took from credit with the entries of it. A void one has given all of it back. */
export async function findBurnDrift(
  tx: Tx,
  { after, last }: { after: string; last: string },
  rowsMax: number,
): Promise<InvoiceFinding[]> {
  return await tx<InvoiceFinding[]>`
    select 'credit on an invoice' as what,
      jsonb_build_object('invoiceId', i.invoice_id, 'number', i.number, 'tenantId', i.tenant_id) as place,
      c.entered || ' minor units' as ledger, c.burned || ' minor units' as derived
    from invoices i cross join lateral (
      select
        (select coalesce(-sum(e.amount), 0) from credit_entries e
          where e.invoice_id = i.invoice_id and e.kind in ('burned', 'returned')) as entered,
        case when i.state = 'void' then 0 else
          (select coalesce(sum((b -> 'amount' ->> '#')::numeric), 0) from jsonb_array_elements(i.document -> 'burns') b) end as burned
    ) c
    where i.invoice_id > ${after} and i.invoice_id <= ${last} and c.entered <> c.burned
    order by i.invoice_id
    limit ${rowsMax}`;
}
