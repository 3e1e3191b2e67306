import { SIGN_INS_MAX, type SignIn } from "@turnpike/contract/account";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { endSignIns } from "../accounts/end-sign-ins.ts";
import type { PersonAgents } from "../accounts/provider.ports.ts";
import { revokeGrant } from "../provider/oidc-adapter.ts";
import { deleteSessionsOfGrant } from "../provider/oidc-records.store.ts";
import { findSignIn, listSignInRows, type SignInRow } from "../sign-ins/sign-ins.store.ts";
import { getOwner, type OwnAccountDeps, type OwnCall } from "./own-account.ts";

export type OwnSignInsDeps = OwnAccountDeps & { agents: PersonAgents };

/** @param signInId - That of the browser that asks. */
export function toSignInReply(row: SignInRow, signInId: string | undefined): SignIn {
  return {
    signInId: row.sign_in_id,
    browser: row.browser,
    system: row.system,
    isThis: row.sign_in_id === signInId,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}

/** Lists the person's browsers, those used last first. @throws {AppError} As `getOwner`. */
export async function listOwnSignIns(
  deps: OwnAccountDeps,
  call: OwnCall,
): Promise<{ items: SignIn[] }> {
  const { owner } = await getOwner(deps, call);
  const { accountId, signInId } = owner;
  const rows = await deps.transact.asOperator(
    (tx) => listSignInRows(tx, { accountId, now: deps.clock.now(), limit: SIGN_INS_MAX }),
    SIGN_INS,
  );
  return { items: rows.map((row) => toSignInReply(row, signInId)) };
}

/** Ends a sign-in with its session and refresh tokens. @throws {AppError} `RESOURCE_NOT_FOUND`, and as `getOwner`. */
export async function endOwnSignIn(
  deps: OwnAccountDeps,
  call: OwnCall,
  { signInId }: { signInId: string },
): Promise<SignIn> {
  const { owner } = await getOwner(deps, call);
  const { accountId, userId } = owner;
  return await deps.transact.asOperator(async (tx) => {
    const row = await findSignIn(tx, { accountId, signInId, now: deps.clock.now() });
    if (row === undefined) {
      throw resourceNotFound("sign-in");
    }
    await deleteSessionsOfGrant(tx, { accountId, grantId: row.grant_id });
    await revokeGrant(tx, row.grant_id);
    await writeAudit(deps, tx, call.context, {
      tenantId: null,
      action: "sign_in.ended",
      entityType: "user",
      entityId: userId,
      details: { signInId, browser: row.browser, system: row.system },
    });
    return toSignInReply(row, owner.signInId);
  }, SIGN_INS);
}

/**
 * Ends all of the person's sign-ins, with command lines and agents, within a second everywhere.
 *
 * @param input.keepThis - The browser that asks goes on with a renewed token.
 * @throws {AppError} As `getOwner`.
 */
export async function endOwnSignIns(
  deps: OwnSignInsDeps,
  call: OwnCall,
  { keepThis }: { keepThis: boolean },
): Promise<void> {
  const { owner } = await getOwner(deps, call);
  const { accountId, signInId, userId } = owner;
  await deps.transact.asOperator(async (tx) => {
    const now = deps.clock.now();
    const kept =
      keepThis && signInId !== undefined
        ? await findSignIn(tx, { accountId, signInId, now })
        : undefined;
    await writeAudit(deps, tx, call.context, {
      tenantId: null,
      action: "sign_in.all_ended",
      entityType: "user",
      entityId: userId,
      details: { keptThis: kept !== undefined },
    });
    await endSignIns(deps, tx, { accountId, kept, why: "signed_out" });
  }, SIGN_INS);
}
