import type { TenantId } from "@turnpike/domain/ids/ids";

/** By whose single sign-on a person came. */
export type SsoSession = {
  tenantId: TenantId;
  /** The session at the tenant's provider; null where it names none. */
  sessionId: string | null;
};
