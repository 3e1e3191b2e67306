-- What subscriptions bring in a month, from an instant on, written with each change of their account: a figure of the past never
-- changes. Of the environment live alone. Rows outlive their tenant, like its invoices.
create table revenue_changes (
  tenant_id text not null,
  sequence int not null check (sequence > 0),
  happened_at timestamptz not null,
  recorded_at timestamptz not null,
  currency text not null,
  -- Monthly recurring revenue from here on, before tax, in minor units.
  amount numeric(30, 0) not null check (amount >= 0),
  -- The plan that it is of, or was.
  plan_id text not null,
  primary key (tenant_id, sequence)
);
create index revenue_changes_by_time on revenue_changes (happened_at);

create trigger frozen before update or delete on revenue_changes for each row execute function refuse_change_of_document('{}');
create trigger kept before truncate on revenue_changes for each statement execute function refuse_truncation();
alter table revenue_changes enable row level security;
alter table revenue_changes force row level security;
create policy operator_rows on revenue_changes to turnpike_operator using (true) with check (true);
create policy removed_demo on revenue_changes to current_user using (
  tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like 'turnpike-demo:%'));
grant select, insert on revenue_changes to turnpike_operator;

-- Removes what a demo invented, as its documents are removed.
create function remove_demo_revenue(demo text) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform from public.tenants t
  where t.tenant_id = demo and t.deleted_at is not null and t.external_id like 'turnpike-demo:%';
  if not found then
    raise exception '% is not a deleted demo tenant.', demo using errcode = 'insufficient_privilege';
  end if;
  delete from public.revenue_changes r where r.tenant_id = demo;
end
$$;
revoke execute on function remove_demo_revenue from public;
grant execute on function remove_demo_revenue to turnpike_operator;

-- For reports of taxes, which go by the date of documents.
create index credit_notes_by_time on credit_notes (environment, issued_at);
create index invoices_voided on invoices (environment, settled_at) where state = 'void';

-- Accounts from before are looked at within a minute, which records what they bring.
set local role turnpike_operator;
update billing_accounts set due_at = least(due_at, now())
where environment = 'live' and life in ('scheduled', 'trialing', 'active');
reset role;
