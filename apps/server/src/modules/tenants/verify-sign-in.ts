import { VERIFIED_TENANTS_MAX, type VerifyTokenResponse } from "@turnpike/contract/auth";
import type { UserDirectory } from "#modules/identity/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listOwnTenantRows } from "./members.store.ts";
import { listOwnWithPlans, type WithPlans } from "./to-tenant-reply.ts";

export type VerifySignInDeps = Pick<AppServices, "transact"> &
  WithPlans & {
    users: Pick<UserDirectory, "identify">;
  };

/**
 * Verifies an ID token, creates or updates its user, and returns the user and their tenants.
 *
 * @throws {AppError} `UNAUTHENTICATED`; `IDENTITY_PROVIDER_UNAVAILABLE`.
 */
export async function verifySignIn(
  deps: VerifySignInDeps,
  input: { token: string },
): Promise<VerifyTokenResponse> {
  const { user } = await deps.users.identify(input.token);
  const tenants = await deps.transact.asOperator(
    async (tx) => {
      const rows = await listOwnTenantRows(tx, user.userId, { limit: VERIFIED_TENANTS_MAX });
      return await listOwnWithPlans(deps, tx, rows);
    },
    { holder: user.userId },
  );
  return { user, tenants };
}
