import type { Sso } from "@turnpike/contract/sso";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Below the public address of the console: the built-in provider's `/idp`, and the part of it for sign-ins elsewhere. */
export const SSO_PATH = "/idp/sso";

/**
 * What a tenant's provider needs to know of this service. Each tenant has addresses of its own, so that an answer of one provider cannot be
 * taken for another's.
 */
export function toServiceAddresses(
  consoleUrl: string,
  tenant: { tenantId: TenantId; slug: string },
): Sso["service"] {
  const base = `${consoleUrl}${SSO_PATH}/${tenant.tenantId}`;
  return {
    redirectUri: `${base}/callback`,
    acsUrl: `${base}/acs`,
    entityId: `${base}/metadata`,
    logoutUrl: `${base}/logout`,
    metadataUrl: `${base}/metadata`,
    signInUrl: `${consoleUrl}/login?sso=${tenant.slug}`,
  };
}
