import type { Tx } from "@turnpike/db/client";
import type { NewId, UserId } from "@turnpike/domain/ids/ids";
import { insertChange } from "#platform/changes.store.ts";
import type { Clock } from "#platform/clock.ts";
import {
  findLinkedIdentity,
  type LinkedIdentityRow,
  lockIdentity,
  updateLinkedIdentity,
} from "../identities/identities.store.ts";
import type { TokenClaims } from "../tokens/token-claims.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { upsertUserByClaims } from "./users.store.ts";
import { VOUCHED_STORED_EVERY_MS } from "./vouched-for.ts";

async function storeLinked(
  tx: Tx,
  { user_id: userId }: LinkedIdentityRow,
  claims: TokenClaims,
): Promise<void> {
  const isStored = await updateLinkedIdentity(tx, {
    issuer: claims.issuer,
    subject: claims.subject,
    email: claims.email,
    email_verified: claims.emailVerified,
    name: claims.name,
    claims_issued_at: claims.issuedAt,
  });
  if (isStored) {
    await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
  }
}

/**
 * Creates or updates the person whom claims are about.
 *
 * @returns Undefined when the row was newer than the claims, so nothing changed.
 */
export async function storeClaims(
  tx: Tx,
  deps: { newId: NewId; clock: Clock },
  claims: TokenClaims,
): Promise<UserId | undefined> {
  if (claims.issuer !== BUILTIN_ISSUER) {
    await lockIdentity(tx, claims);
    const linked = await findLinkedIdentity(tx, claims);
    if (linked !== undefined) {
      await storeLinked(tx, linked, claims);
      return linked.user_id;
    }
  }
  const row = await upsertUserByClaims(tx, {
    user_id: deps.newId("user"),
    issuer: claims.issuer,
    subject: claims.subject,
    email: claims.email,
    email_verified: claims.emailVerified,
    name: claims.name,
    claims_issued_at: claims.issuedAt,
    storedEverySeconds: VOUCHED_STORED_EVERY_MS / 1_000,
    now: deps.clock.now(),
  });
  if (row !== undefined) {
    await insertChange(tx, { kind: "user", tenantId: null, entityId: row.user_id });
  }
  return row?.user_id;
}
