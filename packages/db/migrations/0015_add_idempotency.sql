-- Answers that are given again when a request comes again with the same Idempotency-Key. Callers are programs of the
-- operator, so rows belong to no tenant.
create table idempotency_records (
  -- Kind and id of who asked; keys of two callers never meet.
  actor text not null,
  operation text not null,
  idempotency_key text not null,
  -- SHA-256 of the request.
  request_hash bytea not null,
  -- Whose attempt is under way, or gave the answer.
  claim_id text not null,
  claimed_at timestamptz not null,
  created_at timestamptz not null,
  -- Null while the attempt is under way.
  status smallint,
  body text,
  primary key (actor, operation, idempotency_key)
);
-- What is old is deleted.
create index idempotency_records_by_age on idempotency_records (created_at);

alter table idempotency_records enable row level security;
alter table idempotency_records force row level security;
create policy operator_rows on idempotency_records to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on idempotency_records to turnpike_operator;
