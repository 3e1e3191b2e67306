import type { UserActor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { AccountRow } from "../accounts/accounts.store.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import type { UserRow } from "../users/users.store.ts";
import {
  getOwner,
  getOwnUserRow,
  getPersonInBrowser,
  type OwnAccountDeps,
  type OwnCall,
} from "./own-account.ts";

/** How long ago a person may have signed in whose password another provider keeps. */
const FRESH_MS = 5 * 60 * 1_000;

/** True for an account with a password here. */
export function isKeptHere(deps: OwnAccountDeps, { issuer }: Pick<UserRow, "issuer">): boolean {
  return deps.accounts !== undefined && issuer === BUILTIN_ISSUER;
}

/**
 * A token says when its person signed in, and a renewed one says the same. One that does not say it is proof while it is new: a
 * stolen one is older before long.
 */
function assertFresh({ authenticatedAt, vouchedAt }: UserActor, now: Date): void {
  const provenAt = authenticatedAt ?? vouchedAt;
  if (provenAt === undefined || now.getTime() - provenAt.getTime() > FRESH_MS) {
    throw new AppError({
      code: "SIGN_IN_EXPIRED",
      publicMessage: "Sign in again, then go on within five minutes.",
    });
  }
}

/**
 * Asserts that the person at the browser is the owner of the account: by its password, or for people of a provider by a sign-in there
 * of the last five minutes.
 *
 * @returns The account that is kept here; `undefined` for people of a provider.
 * @throws {AppError} `INVALID_REQUEST` without a password, `INVALID_CREDENTIALS`, `SIGN_IN_EXPIRED`, `TOO_MANY_ATTEMPTS`, `OVERLOADED`,
 *   `INSUFFICIENT_SCOPE`.
 */
export async function provePerson(
  deps: OwnAccountDeps,
  call: OwnCall,
  input: { currentPassword?: string | undefined },
): Promise<AccountRow | undefined> {
  const person = getPersonInBrowser(call.context);
  if (!isKeptHere(deps, await getOwnUserRow(deps, person))) {
    assertFresh(person, deps.clock.now());
    return;
  }
  const { accounts, owner } = await getOwner(deps, call);
  if (input.currentPassword === undefined) {
    const message = "Type the password of your account.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/currentPassword", message }],
    });
  }
  return await accounts.provePassword(owner, { currentPassword: input.currentPassword });
}
