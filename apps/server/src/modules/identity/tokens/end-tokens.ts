import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { setTokensValidFrom } from "../users/users.store.ts";
import { BUILTIN_ISSUER } from "./trusted-issuers.ts";

/**
 * Invalidates, everywhere within a second, every earlier ID token of a person of the built-in provider, after a change of password.
 * Needs the caller's transaction, of the operator role.
 */
export async function endTokens(
  deps: Pick<AppServices, "clock" | "newId">,
  tx: Tx,
  input: { subject: string },
): Promise<void> {
  const userId = await setTokensValidFrom(tx, {
    user_id: deps.newId("user"),
    issuer: BUILTIN_ISSUER,
    subject: input.subject,
    from: deps.clock.now(),
  });
  await insertChange(tx, { kind: "user", tenantId: null, entityId: userId });
}
