-- What providers of payments reported: each event once, until what it is about has been fetched and applied.
create table provider_events (
  provider text not null,
  environment text not null check (environment in ('live', 'test')),
  event_id text not null,
  type text not null,
  -- What to fetch; nothing else of the event is believed.
  object_ref text not null,
  received_at timestamptz not null,
  -- Null until it is applied.
  applied_at timestamptz,
  -- Why it could not be applied so far.
  failure text,
  primary key (provider, environment, event_id)
);
create index provider_events_waiting on provider_events (received_at) where applied_at is null;
create index provider_events_by_age on provider_events (received_at);
grant select, insert, update, delete on provider_events to turnpike_operator;

-- Up to when each provider was asked for events that never arrived, and what keeps it from answering.
create table provider_sweeps (
  provider text not null,
  environment text not null check (environment in ('live', 'test')),
  swept_to timestamptz,
  trouble text,
  trouble_since timestamptz,
  primary key (provider, environment),
  check ((trouble is null) = (trouble_since is null))
);
grant select, insert, update on provider_sweeps to turnpike_operator;
