import { VERIFIED_TENANTS_MAX, type VerifyTokenResponse } from "@turnpike/contract/auth";
import type { UserDirectory } from "#modules/identity/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listOwnTenantRows } from "./members.store.ts";
import { toOwnTenant } from "./to-tenant-reply.ts";

export type VerifySignInDeps = Pick<AppServices, "transact"> & {
  users: Pick<UserDirectory, "identify">;
};

/**
 * Verifies an ID token, makes or updates its user, and answers who that is and where they belong.
 *
 * @throws {AppError} `UNAUTHENTICATED`; `IDENTITY_PROVIDER_UNAVAILABLE`.
 */
export async function verifySignIn(
  deps: VerifySignInDeps,
  input: { token: string },
): Promise<VerifyTokenResponse> {
  const { user } = await deps.users.identify(input.token);
  const rows = await deps.transact.asOperator((tx) =>
    listOwnTenantRows(tx, user.userId, { limit: VERIFIED_TENANTS_MAX }),
  );
  return { user, tenants: rows.map(toOwnTenant) };
}
