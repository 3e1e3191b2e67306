import type { TenantId } from "@turnpike/domain/ids/ids";
import { SIGN_INS } from "#platform/transact.ts";
import { hashSecret } from "../sign-in/secrets.ts";
import type { ScimDeps } from "./scim-deps.ts";
import { findScimTokenByHash, noteTokenUse } from "./scim-tokens.store.ts";

/** A directory asks many times in a minute; that it was there is written once. */
const USE_NOTED_MS = 60_000;
const TOKEN = /^bearer +(?<token>[\w-]{20,200})$/i;

/** @returns The tenant of a token; undefined for what is none, or was revoked. */
export async function authenticateDirectory(
  deps: ScimDeps,
  authorization: string | undefined,
): Promise<TenantId | undefined> {
  const token = TOKEN.exec(authorization ?? "")?.groups?.["token"];
  if (token === undefined) {
    return;
  }
  return await deps.transact.asOperator(async (tx) => {
    const row = await findScimTokenByHash(tx, hashSecret(token));
    const now = deps.clock.now();
    if (row === undefined) {
      return;
    }
    if (now.getTime() - (row.last_used_at?.getTime() ?? 0) >= USE_NOTED_MS) {
      await noteTokenUse(tx, row, now);
    }
    return row.tenant_id;
  }, SIGN_INS);
}
