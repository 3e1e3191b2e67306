-- Every commit adds to balances. A new version of a row that finds room on the page of the one before needs no new place in the
-- index. Holds for pages that are filled from now on.
alter table key_balances set (fillfactor = 50);
alter table balances set (fillfactor = 50);
