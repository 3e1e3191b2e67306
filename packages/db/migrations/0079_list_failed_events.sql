-- What a provider reported and could not be applied is listed.
create index provider_events_failed on provider_events (environment, received_at)
  where applied_at is null and failure is not null;
