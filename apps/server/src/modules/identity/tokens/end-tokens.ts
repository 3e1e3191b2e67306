import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import type { PersonAgents, TokensEndReason } from "../accounts/provider.ports.ts";
import { deleteDeviceSignInsOf } from "../devices/device-sign-ins.store.ts";
import { deletePersonTokensOf } from "../devices/person-tokens.store.ts";
import { setTokensValidFrom } from "../users/users.store.ts";
import { BUILTIN_ISSUER } from "./trusted-issuers.ts";

/**
 * Invalidates, everywhere within a second, every earlier ID token of a person of the built-in provider, after a change of password
 * or of what a sign-in needs beside it.
 * Command lines are signed out, those that were allowed get no credential any more, and agents are disconnected.
 *
 * @param input.issuer - Of a person of another provider; left out: of the built-in one.
 * Needs the caller's transaction, of the operator role.
 */
export async function endTokens(
  deps: Pick<AppServices, "clock" | "newId"> & { agents: PersonAgents },
  tx: Tx,
  input: { subject: string; why: TokensEndReason; issuer?: string },
): Promise<void> {
  const userId = await setTokensValidFrom(tx, {
    user_id: deps.newId("user"),
    issuer: input.issuer ?? BUILTIN_ISSUER,
    subject: input.subject,
    from: deps.clock.now(),
  });
  // In this order: a sign-in that is collected meanwhile is waited for, and then its credential is there to delete.
  await deleteDeviceSignInsOf(tx, userId);
  await deletePersonTokensOf(tx, userId);
  await deps.agents.endAgentsOf(tx, userId, input.why);
  await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
}
