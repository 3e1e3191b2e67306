import type { OwnIdentity } from "@turnpike/contract/account";
import type { Tx } from "@turnpike/db/client";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import type { UserRow } from "../users/users.store.ts";
import { type LinkedIdentityRow, listIdentitiesOfUser } from "./identities.store.ts";

export type IdentityWays = {
  /** Issuers whose tokens let people in today, as people are stored under them. */
  trustedIssuers: ReadonlySet<string>;
};

/** The ways in that work today. */
export function listUsable(
  deps: IdentityWays,
  row: UserRow,
  linked: readonly LinkedIdentityRow[],
): string[] {
  return [row.issuer, ...linked.map(({ issuer }) => issuer)].filter((issuer) =>
    deps.trustedIssuers.has(issuer),
  );
}

/** Never the account with a password here, and never the last way in. */
export function isDisconnectable(usable: readonly string[], issuer: string): boolean {
  return issuer !== BUILTIN_ISSUER && usable.some((other) => other !== issuer);
}

function toReplies(
  deps: IdentityWays,
  row: UserRow,
  linked: readonly LinkedIdentityRow[],
): { items: OwnIdentity[] } {
  const usable = listUsable(deps, row, linked);
  const first = { ...row, connected_at: row.created_at };
  return {
    items: [first, ...linked].map((identity, index) => ({
      issuer: identity.issuer === BUILTIN_ISSUER ? null : identity.issuer,
      email: identity.email,
      emailVerified: identity.email_verified,
      isFirst: index === 0,
      canDisconnect: isDisconnectable(usable, identity.issuer),
      connectedAt: identity.connected_at.toISOString(),
    })),
  };
}

/** The first identity, then those that were connected, the oldest first. Needs the operator role. */
export async function readIdentities(deps: IdentityWays, tx: Tx, row: UserRow) {
  return toReplies(deps, row, await listIdentitiesOfUser(tx, row.user_id));
}
