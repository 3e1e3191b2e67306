-- People whose account was deleted. The row stays without name and address: the trail names its id, and tokens from before are refused
-- by it. Once no token from before can be valid, the provider's name for the person goes too.
alter table users add column deleted_at timestamptz;
create index users_deleted on users (deleted_at) where deleted_at is not null and issuer <> 'deleted';
