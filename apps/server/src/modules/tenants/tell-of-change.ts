import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { notify } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type ToldChange, toChangeNotice } from "./change-notice.ts";
import { type NotifyDeps, notifyMembers } from "./notify-members.ts";

export type TellDeps = AppServices & {
  /** Left out: members see it in the console alone. */
  mail?: Pick<NotifyDeps, "jobs" | "notices"> | undefined;
};

/**
 * Tells the members of a tenant what the operator changed, if the caller's transaction commits: in the console, and its owners and
 * admins by mail as well. Needs the operator role.
 */
export async function tellOfChange(
  { mail, ...deps }: TellDeps,
  tx: Tx,
  { tenantId, change }: { tenantId: TenantId; change: ToldChange },
): Promise<void> {
  const notice = { ...toChangeNotice(change), tenantId };
  await (mail === undefined
    ? notify(deps, tx, notice)
    : notifyMembers({ ...deps, ...mail }, tx, notice));
}
