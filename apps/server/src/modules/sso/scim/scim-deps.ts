import type { TenantId } from "@turnpike/domain/ids/ids";
import type { SsoDeps } from "../sso.ports.ts";

/** Below the public address of the console. The token says which tenant is meant. */
export const SCIM_PATH = "/scim/v2";

/** What the use cases for directories know of their caller. */
export type Directory = {
  tenantId: TenantId;
  requestId: string;
};

export type ScimDeps = SsoDeps;
