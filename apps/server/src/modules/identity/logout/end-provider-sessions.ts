import { createHash } from "node:crypto";
import type { Tx } from "@turnpike/db/client";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { ClaimError } from "../tokens/token-claims.ts";
import type { LogoutAudience, LogoutClaims } from "../tokens/verify-logout-token.ts";
import {
  endSession,
  hasSessions,
  listHoldersOf,
  setSessionsValidFrom,
  takeLogoutToken,
} from "./provider-sessions.store.ts";

/** How long a session of a provider is remembered after its last token, and after its end. */
export const SESSION_KEPT_MS = 30 * 24 * 60 * 60_000;

/** Tokens say to the second when they were made: one of the same second is from before. */
const SECOND_MS = 1_000;

export type EndSessionsDeps = Pick<AppServices, "transact" | "clock" | "newId">;

/**
 * Takes a logout token once.
 *
 * @throws {ClaimError} When it was used before. Needs the caller's transaction, of the operator role.
 */
export async function spendLogoutToken(
  tx: Tx,
  { issuer, clientId }: Pick<LogoutAudience, "issuer" | "clientId">,
  { tokenId, usableUntil }: LogoutClaims,
): Promise<void> {
  const tokenHash = createHash("sha256").update(`${issuer}\n${clientId}\n${tokenId}`).digest();
  if (!(await takeLogoutToken(tx, { tokenHash, expiresAt: usableUntil }))) {
    throw new ClaimError("The token was used before.");
  }
}

/** @returns The subjects whose tokens are refused from now on. */
async function endSessionsOf(
  tx: Tx,
  issuer: string,
  { claims, now }: { claims: LogoutClaims; now: Date },
): Promise<string[]> {
  const { subject, sessionId, issuedAt } = claims;
  const expiresAt = new Date(now.getTime() + SESSION_KEPT_MS);
  const ended =
    sessionId === undefined
      ? []
      : await endSession(tx, { issuer, subject, sessionId, now, expiresAt });
  if (subject === undefined || ended.length > 0) {
    return ended;
  }
  // Where the ID tokens of a provider name no session, the person is all that is known of it.
  if (sessionId === undefined || !(await hasSessions(tx, { issuer, subject, now }))) {
    const from = new Date(issuedAt.getTime() + SECOND_MS);
    await setSessionsValidFrom(tx, { issuer, subject, from });
    return [subject];
  }
  return [];
}

/**
 * Ends what a provider's logout token names: one session of a person there, or all of them. ID tokens of it are refused on every node
 * within a second. Command lines and agents go on, as when a person signs out here.
 *
 * @throws {ClaimError} When the token was used before.
 */
export async function endProviderSessions(
  deps: EndSessionsDeps,
  audience: Pick<LogoutAudience, "issuer" | "clientId">,
  claims: LogoutClaims,
): Promise<void> {
  await deps.transact.asOperator(async (tx) => {
    await spendLogoutToken(tx, audience, claims);
    const { issuer } = audience;
    const subjects = await endSessionsOf(tx, issuer, { claims, now: deps.clock.now() });
    const context = {
      actor: { type: "system", id: "identity" },
      requestId: deps.newId("request"),
    } as const;
    for (const userId of await listHoldersOf(tx, issuer, subjects)) {
      await writeAudit(deps, tx, context, {
        tenantId: null,
        action: "sign_in.ended_by_provider",
        entityType: "user",
        entityId: userId,
        details: { issuer, sessions: claims.sessionId === undefined ? "all" : "one" },
      });
      await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
    }
  }, SIGN_INS);
}
