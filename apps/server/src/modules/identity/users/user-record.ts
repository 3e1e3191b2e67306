import type { ActingIn, UserActor } from "@turnpike/domain/access/actor";
import type { Identity, LinkedIdentityRow } from "../identities/identities.store.ts";
import type { TokenClaims } from "../tokens/token-claims.ts";
import type { UserRow } from "./users.store.ts";
import { VOUCHED_STORED_EVERY_MS } from "./vouched-for.ts";

/** A person as the directory keeps them, under one of their identities. */
export type UserRecord = {
  row: UserRow;
  /** The identity by which the person was found, where it is not their first one. */
  linked: LinkedIdentityRow | undefined;
  roles: UserActor["roles"];
  hasFactor: boolean;
  /** True for a connected identity of a person who signs in at their organization alone. */
  requiresSso: boolean;
  /** Sessions at the provider of this identity; of the built-in one, those alone that ended before their tokens. */
  sessions: ReadonlyMap<string, { isEnded: boolean; expiresAt: Date }>;
  acting: (ActingIn & { expiresAt: Date }) | undefined;
};

/** What an identity is called in the cache. */
export function nameOf(claims: Identity): string {
  return `${claims.issuer}\n${claims.subject}`;
}

/** An issuer contains no line break; a subject may. */
export function fromName(name: string): Identity {
  const end = name.indexOf("\n");
  return { issuer: name.slice(0, end), subject: name.slice(end + 1) };
}

/** True when the record holds what the claims say. */
export function isUpToDate({ row, linked }: UserRecord, claims: TokenClaims): boolean {
  const known = linked ?? row;
  const isSame =
    known.email === claims.email &&
    known.email_verified === claims.emailVerified &&
    known.name === claims.name;
  const storedAt = known.claims_issued_at?.getTime();
  if (storedAt === undefined) {
    return false;
  }
  const newerByMs = claims.issuedAt.getTime() - storedAt;
  // An older token that is used late must not revert name or address.
  return newerByMs < 0 || (isSame && newerByMs < VOUCHED_STORED_EVERY_MS);
}

/**
 * To the second, as in tokens. Otherwise a token issued right after a change of password would be refused for the fraction of a
 * second that it does not state.
 */
export function isBefore(from: Date | null, { issuedAt }: TokenClaims): boolean {
  return from !== null && issuedAt.getTime() < Math.floor(from.getTime() / 1_000) * 1_000;
}

/** True when the session was ended by who signed the person in. */
export function isEnded({ row, linked, sessions }: UserRecord, claims: TokenClaims): boolean {
  const from = linked === undefined ? row.sessions_valid_from : linked.tokens_valid_from;
  const session = sessions.get(claims.sessionId ?? claims.signInId ?? "");
  return session?.isEnded === true || isBefore(from, claims);
}
