-- What of the payments and credit notes of an invoice went to the balance, because nothing was due any more. Money that is taken back
-- makes the invoice due again by all of it: what the balance has had does not settle the invoice a second time.
alter table invoices add column to_balance numeric(30, 0) not null default 0 check (to_balance >= 0);
drop trigger frozen on invoices;
grant update (to_balance) on invoices to turnpike_operator;
set local role turnpike_operator;
update invoices i
set to_balance = s.to_balance
from (
  select invoice_id, sum(amount) as to_balance from (
    select invoice_id, beyond as amount from invoice_payments
    union all
    select invoice_id, to_balance from credit_notes
  ) parts
  group by invoice_id
) s
where s.invoice_id = i.invoice_id and s.to_balance > 0;
reset role;
create trigger frozen before update or delete on invoices for each row
  execute function refuse_change_of_document('{state,paid,credited,to_balance,settled_at}');
