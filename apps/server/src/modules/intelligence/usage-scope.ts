import type { TenantId } from "@turnpike/domain/ids/ids";

/** Whose usage is looked at: that of a tenant, or of all of them (null), of one route if it is named. */
export type UsageScope = { tenantId: TenantId | null; route?: string };
