import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { revokeGrant } from "../provider/oidc-adapter.ts";
import { deleteSessionsOfGrant } from "../provider/oidc-records.store.ts";
import { listSignInsOfSso } from "../sign-ins/sign-ins.store.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { endSession, listHoldersOf } from "./provider-sessions.store.ts";

/** Longer than any ID token of the built-in provider lives. */
const ENDED_KEPT_MS = 60 * 60_000;

/**
 * Ends sign-ins by a tenant's single sign-on: their sessions and refresh tokens at once, ID tokens on every node within a second.
 * Sign-ins in other ways, command lines and agents go on. Needs the caller's transaction, of the operator role.
 *
 * @param input.accountId - Undefined: of anyone who has the session.
 * @param input.sessionId - At the tenant's provider; undefined: every sign-in of the account by it.
 */
export async function endSsoSignIns(
  deps: Pick<AppServices, "clock" | "newId">,
  tx: Tx,
  input: { tenantId: TenantId; accountId: string | undefined; sessionId: string | undefined },
): Promise<void> {
  const { tenantId } = input;
  const ended = await listSignInsOfSso(tx, {
    tenantId,
    accountId: input.accountId ?? null,
    sessionId: input.sessionId ?? null,
  });
  const now = deps.clock.now();
  for (const { account_id: accountId, grant_id: grantId, sign_in_id: signInId, ...row } of ended) {
    await deleteSessionsOfGrant(tx, { accountId, grantId });
    await revokeGrant(tx, grantId);
    await endSession(tx, {
      issuer: BUILTIN_ISSUER,
      subject: accountId,
      sessionId: signInId,
      now,
      expiresAt: new Date(now.getTime() + ENDED_KEPT_MS),
    });
    for (const userId of await listHoldersOf(tx, BUILTIN_ISSUER, [accountId])) {
      await writeAudit(
        deps,
        tx,
        { actor: { type: "system", id: "identity" }, requestId: deps.newId("request") },
        {
          tenantId: null,
          action: "sign_in.ended_by_provider",
          entityType: "user",
          entityId: userId,
          details: { signInId, browser: row.browser, system: row.system, ssoOf: tenantId },
        },
      );
      await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
    }
  }
}
