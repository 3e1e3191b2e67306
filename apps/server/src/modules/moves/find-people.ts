import type { TenantId } from "@turnpike/domain/ids/ids";
import { BUILTIN_ISSUER } from "#modules/identity/index.ts";
import type { TwoCells } from "./cell-databases.ts";
import { type MatchedPeople, matchAccounts, matchPeople, toWanted } from "./match-people.ts";
import { listAccounts, listKnownPeople, listPeople, listSsoAccounts } from "./people.store.ts";

/**
 * Finds out which people of a tenant the other cell knows.
 *
 * @param input.areParked - Whether the rows of the tenant are parked.
 * @throws {AppError} `CONFLICT` when that cannot be said of one of them.
 */
export async function findPeopleThere(
  { here, there }: TwoCells,
  { tenantId, areParked }: { tenantId: TenantId; areParked: boolean },
): Promise<MatchedPeople> {
  const ours = await here.transact.asOperatorWithDeleted(async (tx) => {
    const people = await listPeople(tx, tenantId, { areParked });
    const accountIds = [
      ...people.filter(({ issuer }) => issuer === BUILTIN_ISSUER).map(({ subject }) => subject),
      ...(await listSsoAccounts(tx, tenantId, { areParked })),
    ];
    return { people, accounts: await listAccounts(tx, { accountIds, emails: [] }) };
  });
  return await there.transact.asOperatorWithDeleted(async (tx) => {
    const accounts = matchAccounts(
      ours.accounts,
      await listAccounts(tx, {
        accountIds: ours.accounts.map(({ accountId }) => accountId),
        emails: ours.accounts.map(({ email }) => email),
      }),
    );
    const known = await listKnownPeople(
      tx,
      ours.people.map((person) => toWanted(person, accounts)),
    );
    return matchPeople(ours, { accounts, known });
  });
}
