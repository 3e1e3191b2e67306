-- The tax of a document in the currency of the seller, where that is another: AccountingTax of the domain package. Null where none
-- is stated.
alter table invoices add column accounting_tax jsonb;
alter table credit_notes add column accounting_tax jsonb;
