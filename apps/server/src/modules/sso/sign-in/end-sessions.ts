import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId } from "@turnpike/domain/ids/ids";
import {
  createIssuerKeys,
  endSsoSignIns,
  type KeyFinder,
  LogoutRefused,
  spendLogoutToken,
  verifyLogoutToken,
} from "#modules/identity/index.ts";
import { SIGN_INS } from "#platform/transact.ts";
import type { SsoDeps } from "../sso.ports.ts";
import { findConnection, type OidcConnectionRow } from "../sso-connections.store.ts";
import { findIdentity } from "./sso-identities.store.ts";

/** Issuers whose keys are kept, those asked last. */
const ISSUERS_MAX = 200;

/** Keeps the keys of tenants' issuers. Each tenant has its own, so that none learns or delays what another one needs. */
function createTenantKeys(deps: SsoDeps): (row: OidcConnectionRow) => KeyFinder {
  const known = new Map<string, KeyFinder>();
  const outbound = {
    async getJson(url: string, { timeoutMs, bytesMax }: { timeoutMs: number; bytesMax: number }) {
      const headers = { accept: "application/json" };
      const sent = { method: "GET", headers, timeoutMs, bytesMax } as const;
      const { status, text } = await deps.providers.exchange(url, sent);
      if (status !== 200) {
        throw new Error(`The provider answered ${String(status)}.`);
      }
      return JSON.parse(text) as unknown;
    },
  };
  return ({ tenant_id: tenantId, issuer }) => {
    const name = `${tenantId} ${issuer}`;
    const keys = known.get(name) ?? createIssuerKeys({ ...deps, outbound }, { issuer });
    known.delete(name);
    known.set(name, keys);
    for (const oldest of known.size > ISSUERS_MAX ? known.keys() : []) {
      known.delete(oldest);
      break;
    }
    return keys;
  };
}

/**
 * Makes what takes a logout token of a tenant's provider: the sign-ins by it that the token names end.
 *
 * @throws What `verifyLogoutToken` and `spendLogoutToken` throw; also {@link LogoutRefused} for a tenant without such a provider.
 */
export function createSessionEnder(
  deps: SsoDeps,
): (tenant: string, token: string) => Promise<void> {
  const keysOf = createTenantKeys(deps);
  return async (tenantId, token) => {
    if (!isId("tenant", tenantId)) {
      throw resourceNotFound("address");
    }
    const row = await deps.transact.asOperator((tx) => findConnection(tx, tenantId), SIGN_INS);
    if (row?.protocol !== "oidc") {
      throw new LogoutRefused("No OpenID Connect provider is set up here.");
    }
    const audience = { issuer: row.issuer, clientId: row.client_id, findKey: keysOf(row) };
    const claims = await verifyLogoutToken(token, audience, deps.clock.now());
    const { subject, sessionId } = claims;
    await deps.transact.asOperator(async (tx) => {
      await spendLogoutToken(tx, { ...audience, issuer: `${tenantId} ${row.issuer}` }, claims);
      const accountId =
        subject === undefined ? undefined : await findIdentity(tx, tenantId, subject);
      if (subject === undefined || accountId !== undefined) {
        await endSsoSignIns(deps, tx, { tenantId, accountId, sessionId });
      }
    }, SIGN_INS);
  };
}
