import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { insertChange } from "#platform/changes.store.ts";
import { clearFactors } from "../factors/factors.store.ts";
import { releaseIdentitiesOfAccount } from "../identities/release-identities.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { insertUser, listUserRowsBySubject, lockUserRowBySubject } from "../users/users.store.ts";
import {
  adoptEmail,
  deleteLinksOf,
  findAccountByEmail,
  findAccountById,
  insertProvenAccount,
} from "./accounts.store.ts";
import { type EndSignInsDeps, endSignIns } from "./end-sign-ins.ts";
import { normalizeEmail } from "./normalize-email.ts";

const NAME_LENGTH_MAX = 100;

/**
 * The account of a person whose address was proven elsewhere, by the owner of its domain; made when there is none. Such an account
 * has no password. One whose address was never proven may be a stranger's: its password, its second factors and what they opened end.
 * An operator's account is refused: a tenant's provider must not open the installation. So is, the first time, one with a second
 * factor that opens other tenants too: the owner of a domain must not get past it. Needs the operator role.
 *
 * @param input.accountId - The account that the person had before; its address may have changed since.
 * @param input.opensElsewhere - Whether the person is a member of other tenants.
 * @returns `address_taken` when another account has the person's new address.
 */
export async function adoptAccount(
  deps: EndSignInsDeps,
  tx: Tx,
  input: {
    email: string;
    name: string | null;
    accountId: string | undefined;
    opensElsewhere: (userId: UserId) => Promise<boolean>;
  },
): Promise<{ accountId: string; userId: UserId } | "operator" | "address_taken" | "protected"> {
  const email = normalizeEmail(input.email);
  const plainName = toPlainLine(input.name ?? "", NAME_LENGTH_MAX);
  const name = plainName === "" ? null : plainName;
  const now = deps.clock.now();
  const ofAddress = await findAccountByEmail(tx, email);
  const known =
    input.accountId === undefined ? ofAddress : await findAccountById(tx, input.accountId);
  if (known !== undefined && ofAddress !== undefined && ofAddress.account_id !== known.account_id) {
    return "address_taken";
  }
  const user = known && (await findUserOf(tx, known.account_id));
  if (user?.is_operator === true) {
    return "operator";
  }
  const isNew = input.accountId === undefined;
  const isProtected = known?.email_verified === true && known.second_factor_since !== null;
  if (isNew && isProtected && user !== undefined && (await input.opensElsewhere(user.user_id))) {
    return "protected";
  }
  const accountId = known?.account_id ?? deps.newId("account");
  if (known === undefined) {
    await insertProvenAccount(tx, { account_id: accountId, email, name, now });
  } else {
    const isSquatted = !known.email_verified && known.email === email;
    await adoptEmail(tx, { accountId, email, dropPassword: isSquatted, now });
    if (isSquatted) {
      await deleteLinksOf(tx, accountId);
      await clearFactors(tx, { accountId, now });
      await releaseIdentitiesOfAccount(deps, tx, accountId);
      await endSignIns(deps, tx, { accountId, why: "address_proven" });
    }
  }
  return { accountId, userId: await ensureUserOf(deps, tx, { accountId, email, name, now }) };
}

async function findUserOf(tx: Tx, accountId: string) {
  const [user] = await listUserRowsBySubject(tx, [{ issuer: BUILTIN_ISSUER, subject: accountId }]);
  return user;
}

async function ensureUserOf(
  deps: EndSignInsDeps,
  tx: Tx,
  input: { accountId: string; email: string; name: string | null; now: Date },
): Promise<UserId> {
  const identity = { issuer: BUILTIN_ISSUER, subject: input.accountId };
  const made = await insertUser(tx, {
    user_id: deps.newId("user"),
    ...identity,
    email: input.email,
    name: input.name,
    now: input.now,
  });
  const row = made ?? (await lockUserRowBySubject(tx, identity));
  if (row === undefined) {
    throw new Error("The user of an account vanished.");
  }
  await insertChange(tx, { kind: "user", tenantId: null, entityId: row.user_id });
  return row.user_id;
}
