-- What an invoice charges for usage, before tax, in minor units: reports of revenue read it without the lines.
alter table invoices add column usage numeric(30, 0) not null default 0;

-- Invoices from before. With prices that include tax, usage has the part of the net that it has of the lines.
alter table invoices disable trigger frozen;
grant update (usage) on invoices to turnpike_operator;
set local role turnpike_operator;
update invoices i
set usage = case when l.charged = i.net or l.charged <= 0 then l.used else round(l.used * i.net / l.charged) end
from (
  select invoice_id, sum(amount - discount) filter (where kind in ('usage', 'late', 'commitment')) as used,
    sum(amount - discount) filter (where kind not in ('discount', 'promotional')) as charged
  from invoice_lines
  group by invoice_id
) l
where l.invoice_id = i.invoice_id and l.used <> 0;
reset role;
revoke update (usage) on invoices from turnpike_operator;
alter table invoices enable trigger frozen;
