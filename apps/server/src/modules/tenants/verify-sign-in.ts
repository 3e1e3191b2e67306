import { VERIFIED_TENANTS_MAX, type VerifyTokenResponse } from "@turnpike/contract/auth";
import type { Language } from "@turnpike/domain/text/languages";
import { keepLanguage, type UserDirectory } from "#modules/identity/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listOwnTenantRows } from "./members.store.ts";
import type { DirectoryArrivals, ListMovedTenants } from "./tenants.ports.ts";
import { listOwnWithPlans, type WithPlans } from "./to-tenant-reply.ts";

export type VerifySignInDeps = Pick<AppServices, "transact" | "clock"> &
  WithPlans & {
    users: Pick<UserDirectory, "identify">;
    arrivals: DirectoryArrivals;
    /** Undefined where this installation is no cell of several. */
    listMoved: ListMovedTenants | undefined;
  };

/**
 * Verifies an ID token, creates or updates its user, and returns the user, their tenants, and those that left for another cell. From
 * their first sign-in, a person is a member of the tenants whose directories announced them.
 *
 * @param input.language - Of the browser: the first one in which a person signs in is theirs until they choose another.
 * @throws {AppError} `UNAUTHENTICATED`; `IDENTITY_PROVIDER_UNAVAILABLE`.
 */
export async function verifySignIn(
  deps: VerifySignInDeps,
  input: { token: string; language?: Language | undefined },
): Promise<VerifyTokenResponse> {
  const { user, language } = await deps.users.identify(input.token);
  if (language === null && input.language !== undefined) {
    await keepLanguage(deps, { userId: user.userId, language: input.language, isChosen: false });
  }
  if (user.email !== null && user.emailVerified) {
    await deps.arrivals.join({ userId: user.userId, email: user.email });
  }
  const tenants = await deps.transact.asOperator(
    async (tx) => {
      const rows = await listOwnTenantRows(tx, user.userId, { limit: VERIFIED_TENANTS_MAX });
      return await listOwnWithPlans(deps, tx, rows);
    },
    { holder: user.userId },
  );
  const movedTenants = (await deps.listMoved?.(user.userId)) ?? [];
  return { user, tenants, ...(movedTenants.length > 0 && { movedTenants }) };
}
