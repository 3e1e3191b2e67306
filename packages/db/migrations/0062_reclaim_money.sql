-- Money that is taken back may have been spent from the balance: then invoices that had it from there return it, and are due again.
alter table refunded_invoices
  add column reclaimed numeric(30, 0) not null default 0 check (reclaimed >= 0),
  drop constraint refunded_invoices_amount_check,
  add check (amount >= 0 and amount + reclaimed > 0);
