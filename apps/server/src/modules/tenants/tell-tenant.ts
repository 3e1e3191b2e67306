import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { notify } from "#modules/notifications/index.ts";
import { mailMembers, type TellDeps } from "./mail-members.ts";

export type { NoticeSettings, TellDeps } from "./mail-members.ts";

/** Those who look after a tenant. */
const CARETAKERS = ["owner", "admin"] as const;

/**
 * Tells the members of a tenant of something in the console, and its owners and admins by mail at their verified addresses
 * when a mail server is configured: if and only if the caller's transaction commits, which must be one of the operator role.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when there is no such tenant.
 */
export async function tellTenant(
  deps: TellDeps,
  tx: Tx,
  input: { tenantId: TenantId; kind: string; title: string; body: string; link: string },
): Promise<void> {
  await notify(deps, tx, input);
  await mailMembers(deps, tx, { ...input, roles: CARETAKERS });
}
