import type { OwnAccount } from "@turnpike/contract/account";
import { type CallContext, getPerson, type UserActor } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { accountElsewhere } from "../accounts/account-refusals.ts";
import type { AccountOwner, OwnAccounts } from "../accounts/own-accounts.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { findUserRow, type UserRow } from "../users/users.store.ts";

export type OwnAccountDeps = AppServices & {
  /** The built-in sign-in; undefined where only providers elsewhere vouch for people. */
  accounts: OwnAccounts | undefined;
};

/** A call of a person about themselves. */
export type OwnCall = {
  context: CallContext;
  /** The person's network, by `toNetwork`. */
  network: string;
};

/**
 * The person who acts in a browser. A command line has their rights over tenants, and none over the account that it was given by.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` for programs and for command lines.
 */
export function getPersonInBrowser(context: CallContext): UserActor {
  const person = getPerson(context.actor);
  if (person.isByDevice === true) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage:
        "This needs the console: a command line has no rights over the account itself.",
    });
  }
  return person;
}

export async function getOwnUserRow(
  deps: Pick<AppServices, "transact">,
  person: UserActor,
): Promise<UserRow> {
  const row = await deps.transact.asOperator((tx) => findUserRow(tx, person.id), SIGN_INS);
  if (row === undefined) {
    throw resourceNotFound("user");
  }
  return row;
}

/**
 * The person who acts, as the owner of an account here.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `ACCOUNT_ELSEWHERE` for people of other providers.
 */
export async function getOwner(
  deps: OwnAccountDeps,
  { context, network }: OwnCall,
): Promise<{ accounts: OwnAccounts; owner: AccountOwner }> {
  const person = getPersonInBrowser(context);
  const { issuer, subject } = await getOwnUserRow(deps, person);
  if (deps.accounts === undefined || issuer !== BUILTIN_ISSUER) {
    throw accountElsewhere();
  }
  const { id: userId, signInId } = person;
  return {
    accounts: deps.accounts,
    owner: { context, network, userId, signInId, accountId: subject },
  };
}

/** The account as its person sees it. @throws {AppError} `INSUFFICIENT_SCOPE` for programs. */
export async function getOwnAccount(
  deps: OwnAccountDeps,
  context: CallContext,
): Promise<OwnAccount> {
  const row = await getOwnUserRow(deps, getPerson(context.actor));
  const isHere = deps.accounts !== undefined && row.issuer === BUILTIN_ISSUER;
  const kept = isHere ? await deps.accounts?.find(row.subject) : undefined;
  return {
    kind: isHere ? "builtin" : "provider",
    issuer: row.issuer === BUILTIN_ISSUER ? null : row.issuer,
    email: kept?.account.email ?? row.email,
    emailVerified: kept?.account.email_verified ?? row.email_verified,
    name: kept === undefined ? row.name : kept.account.name,
    pendingEmail: kept?.pendingEmail ?? null,
    language: row.language,
    createdAt: (kept?.account.created_at ?? row.created_at).toISOString(),
  };
}
