-- Balances grow with every commit: a new version of a row that finds room beside the one before needs no new place in the
-- index. Pages that are full keep to it as their rows move.
alter table key_balances set (fillfactor = 50);
alter table balances set (fillfactor = 50);
