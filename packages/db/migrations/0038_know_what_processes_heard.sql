-- The change up to which a process has heard: a tenant that arrives from another cell is called there once all of them know of it. Null
-- until it is noted for the first time.
alter table processes add column heard_revision bigint;
grant update (heard_revision) on processes to turnpike_operator;
