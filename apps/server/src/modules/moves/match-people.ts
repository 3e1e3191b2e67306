import { AppError } from "@turnpike/domain/errors/app-error";
import { BUILTIN_ISSUER } from "#modules/identity/index.ts";
import type { Names } from "./parked-rows.store.ts";
import type { Account, Person } from "./people.store.ts";

export type MatchedPeople = {
  /** What people and accounts are called there, where that differs: by id, and as actors. */
  names: Names;
  /** People and accounts that are copied. */
  userIds: string[];
  accountIds: string[];
};

function conflict(publicMessage: string): AppError {
  return new AppError({ code: "CONFLICT", publicMessage });
}

/**
 * Finds out whom each account is there: the one with its id, or with its confirmed address.
 *
 * @param there - Those with one of the ids, or one of the addresses.
 * @throws {AppError} `CONFLICT` for an address that is not confirmed in both cells.
 */
export function matchAccounts(
  here: readonly Account[],
  there: readonly Account[],
): Map<string, string> {
  const matched = new Map<string, string>();
  for (const account of here) {
    const same = there.find(({ accountId }) => accountId === account.accountId);
    const alike = there.find(({ email }) => email === account.email);
    if (same !== undefined) {
      matched.set(account.accountId, same.accountId);
    } else if (alike !== undefined) {
      if (!account.isConfirmed || !alike.isConfirmed) {
        throw conflict(
          `${account.email} has an account in both cells, and has not confirmed the address in both. It must be confirmed first, or the account deleted in one of them.`,
        );
      }
      matched.set(account.accountId, alike.accountId);
    }
  }
  return matched;
}

/** A person by the name that their account has in the other cell. */
export function toWanted(person: Person, accounts: ReadonlyMap<string, string>): Person {
  const subject = person.issuer === BUILTIN_ISSUER ? accounts.get(person.subject) : undefined;
  return subject === undefined ? person : { ...person, subject };
}

/**
 * Finds out who of the people of a tenant is known in another cell. Identity is the provider's name for a person; an account of the
 * built-in sign-in is the one with the same address, where both cells have seen that it is confirmed.
 *
 * @param known - By the identities of {@link toWanted}, or by the ids.
 * @throws {AppError} `CONFLICT` when two people here would be one there.
 */
export function matchPeople(
  here: { people: readonly Person[]; accounts: readonly Account[] },
  there: { accounts: ReadonlyMap<string, string>; known: readonly Person[] },
): MatchedPeople {
  const names = new Map<string, string>(there.accounts);
  const userIds: string[] = [];
  const taken = new Map<string, string>();
  for (const { userId, issuer, subject } of here.people.map((one) =>
    toWanted(one, there.accounts),
  )) {
    const known =
      there.known.find((one) => one.issuer === issuer && one.subject === subject) ??
      there.known.find((one) => one.userId === userId);
    if (known === undefined) {
      userIds.push(userId);
      continue;
    }
    const other = taken.get(known.userId);
    if (other !== undefined) {
      throw conflict(`${userId} and ${other} would be one person, ${known.userId}.`);
    }
    taken.set(known.userId, userId);
    names.set(userId, known.userId);
    names.set(`user:${userId}`, `user:${known.userId}`);
  }
  return {
    names: Object.fromEntries([...names].filter(([was, becomes]) => was !== becomes)),
    userIds,
    accountIds: here.accounts
      .filter(({ accountId }) => !there.accounts.has(accountId))
      .map(({ accountId }) => accountId),
  };
}
