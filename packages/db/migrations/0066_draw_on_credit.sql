-- A prepaid plan draws on the tenant's credit as calls happen: the same row limits what its usage may come to.
alter table spend_budgets
  alter column cap drop not null,
  -- Minor units that charges for usage which is not invoiced may come to; null unless the plan is prepaid.
  add column credit numeric(30, 0) check (credit >= 0),
  add check (cap is not null or credit is not null);
