import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import { toIdHash } from "../provider/oidc-adapter.ts";
import { deleteRecordsOfAccount } from "../provider/oidc-records.store.ts";
import { deleteSignInsOf, type SignInRow } from "../sign-ins/sign-ins.store.ts";
import { endTokens } from "../tokens/end-tokens.ts";
import type { PersonAgents, TokensEndReason } from "./provider.ports.ts";

export type EndSignInsDeps = Pick<AppServices, "clock" | "newId"> & { agents: PersonAgents };

/**
 * Ends everything that was given out to sign-ins of an account: sessions and refresh tokens at once, ID tokens within a second, command
 * lines and agents too. Needs the operator role.
 *
 * @param input.kept - A sign-in whose session and refresh tokens go on working.
 */
export async function endSignIns(
  deps: EndSignInsDeps,
  tx: Tx,
  input: { accountId: string; why: TokensEndReason; kept?: SignInRow | undefined },
): Promise<void> {
  const { accountId, kept } = input;
  await deleteRecordsOfAccount(
    tx,
    accountId,
    kept && { grantId: kept.grant_id, grantHash: toIdHash("", "Grant", kept.grant_id) },
  );
  await deleteSignInsOf(tx, { accountId, except: kept?.sign_in_id ?? null });
  await endTokens(deps, tx, { subject: accountId, why: input.why });
}
