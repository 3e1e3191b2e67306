import { adoptAccount, type SsoSession } from "#modules/identity/index.ts";
import { isMemberElsewhere, joinBySso } from "#modules/tenants/index.ts";
import { SIGN_INS } from "#platform/transact.ts";
import type { SsoLoginError } from "../protocol/sso-error.ts";
import { isEndedByDirectory, joinByDirectory } from "../scim/arrivals.ts";
import type { SsoDeps } from "../sso.ports.ts";
import { findConnection, noteFailure, noteUse } from "../sso-connections.store.ts";
import { hashSecret } from "./secrets.ts";
import { takeResult } from "./sso-attempts.store.ts";
import { findIdentity, linkIdentity } from "./sso-identities.store.ts";

const REFUSALS = {
  address_taken: {
    error: "sso_address",
    reason: "The person's new address belongs to another account already.",
  },
  operator: {
    error: "sso_operator",
    reason: "The person is an operator of this service, who must use their own sign-in.",
  },
  protected: {
    error: "sso_protected",
    reason:
      "The person has a second factor of their own and belongs to other tenants as well. They remove it once, or use another address.",
  },
} as const;

/** True for an address that the configuration makes an operator's. */
export function isListedOperator(
  { operators }: Pick<SsoDeps, "operators">,
  email: string,
): boolean {
  return operators.some((listed) => listed.toLowerCase() === email.toLowerCase());
}

/**
 * Takes who came back from a tenant's provider, in the browser that began, and makes them a member of the tenant.
 *
 * @returns The account and the session at the provider; or the error that the sign-in page explains.
 */
export async function collectResult(
  deps: SsoDeps,
  input: { interaction: string; result: string },
): Promise<{ accountId: string; via: SsoSession } | { error: SsoLoginError }> {
  const { interaction } = input;
  const now = deps.clock.now();
  return await deps.transact.asOperator(async (tx) => {
    const person = await takeResult(tx, {
      resultHash: hashSecret(input.result),
      interaction,
      now,
    });
    if (person === undefined) {
      return { error: "sso_failed" };
    }
    const { tenant_id: tenantId, subject } = person;
    const connection = await findConnection(tx, tenantId);
    if (connection === undefined || !connection.enabled) {
      return { error: "sso_off" };
    }
    const { email } = person;
    const known = await findIdentity(tx, tenantId, subject);
    if (await isEndedByDirectory(tx, tenantId, { accountId: known, email })) {
      const reason = "The directory has ended this person's access.";
      await noteFailure(tx, { tenantId, reason, now });
      return { error: "sso_denied" };
    }
    const adopted = isListedOperator(deps, email)
      ? "operator"
      : await adoptAccount(deps, tx, {
          email,
          name: person.name,
          accountId: known,
          opensElsewhere: (userId) => isMemberElsewhere(tx, { userId, tenantId }),
        });
    if (typeof adopted === "string") {
      await noteFailure(tx, { tenantId, reason: REFUSALS[adopted].reason, now });
      return { error: REFUSALS[adopted].error };
    }
    const { accountId, userId } = adopted;
    await linkIdentity(tx, { tenantId, subject, accountId, now });
    if (!(await joinByDirectory(deps, tx, { tenantId, accountId, userId, email }))) {
      await joinBySso(deps, tx, { tenantId, userId, role: connection.default_role });
    }
    await noteUse(tx, tenantId, now);
    return { accountId, via: { tenantId, sessionId: person.session_id } };
  }, SIGN_INS);
}
