import type { Tx } from "@turnpike/db/client";
import type { UserId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { listUserRowsBySubject } from "../users/users.store.ts";
import {
  deleteLinkedIdentity,
  type Identity,
  insertReleasedIdentity,
  listIdentitiesOfUser,
} from "./identities.store.ts";

type ReleaseDeps = Pick<AppServices, "clock" | "newId">;

/** Tokens name whole seconds: one of this second is from before. */
export function toNextSecond(now: Date): Date {
  return new Date((Math.floor(now.getTime() / 1_000) + 1) * 1_000);
}

/** Refuses the tokens that an identity, which its person has given up, was given until now. Needs the operator role. */
export async function releaseIdentity(
  deps: ReleaseDeps,
  tx: Tx,
  identity: Identity,
): Promise<void> {
  const now = deps.clock.now();
  await insertReleasedIdentity(tx, {
    issuer: identity.issuer,
    subject: identity.subject,
    user_id: deps.newId("user"),
    now,
    tokensValidFrom: toNextSecond(now),
  });
}

/** Disconnects every provider of a person. Needs the operator role. @returns The issuers. */
export async function releaseIdentitiesOf(
  deps: ReleaseDeps,
  tx: Tx,
  userId: UserId,
): Promise<string[]> {
  const identities = await listIdentitiesOfUser(tx, userId);
  for (const identity of identities) {
    await deleteLinkedIdentity(tx, identity);
    await releaseIdentity(deps, tx, identity);
  }
  if (identities.length > 0) {
    await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
  }
  return identities.map(({ issuer }) => issuer);
}

/**
 * Disconnects the providers of an account here whose address has just been proven by mail, or by its organization: a stranger who had the
 * account before may have connected one.
 */
export async function releaseIdentitiesOfAccount(
  deps: ReleaseDeps,
  tx: Tx,
  accountId: string,
): Promise<void> {
  const [user] = await listUserRowsBySubject(tx, [{ issuer: BUILTIN_ISSUER, subject: accountId }]);
  if (user !== undefined) {
    await releaseIdentitiesOf(deps, tx, user.user_id);
  }
}
