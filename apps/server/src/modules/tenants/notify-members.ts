import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { notify } from "#modules/notifications/index.ts";
import { type MemberNotice, mailMembers, type NotifyDeps } from "./mail-members.ts";

export type { NoticeSettings, NotifyDeps } from "./mail-members.ts";

/** The roles that look after a tenant. */
const CARETAKERS = ["owner", "admin"] as const;

/**
 * Notifies the members of a tenant in the console, and its owners and admins by mail at their verified addresses when a mail
 * server is configured, if the caller's transaction commits. Needs the operator role.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when there is no such tenant.
 */
export async function notifyMembers(
  deps: NotifyDeps,
  tx: Tx,
  input: MemberNotice & { tenantId: TenantId },
): Promise<void> {
  await notify(deps, tx, input);
  await mailMembers(deps, tx, { ...input, roles: CARETAKERS });
}
