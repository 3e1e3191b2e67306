import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { said } from "@turnpike/domain/text/said";
import { notify } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type NotifyDeps, notifyMembers } from "./notify-members.ts";

export type TellDeps = AppServices & {
  /** Left out: members see it in the console alone. */
  mail?: Pick<NotifyDeps, "jobs" | "notices"> | undefined;
};

/** What the operator did that members hear of. */
export type ToldChange =
  | { kind: "suspended"; reason: string | null }
  | { kind: "resumed" }
  /** Names of plans; the same twice when the plan has newer terms. */
  | { kind: "plan_changed"; before: string; after: string }
  /** @property isOwn - False when the plan's limits hold again. */
  | { kind: "limits_changed"; isOwn: boolean };

function toNotice(change: ToldChange) {
  switch (change.kind) {
    case "suspended":
      return {
        kind: "tenant.suspended",
        subject: "your tenant is suspended",
        title: "Your tenant is suspended",
        body:
          change.reason === null
            ? "All calls with its keys are refused until the operator lifts the suspension."
            : said(
                `All calls with its keys are refused until the operator lifts the suspension. The reason: “${change.reason}”`,
              ),
        link: "/overview",
      };
    case "resumed":
      return {
        kind: "tenant.resumed",
        subject: "your tenant is active again",
        title: "Your tenant is active again",
        body: "The operator lifted the suspension: its keys work again.",
        link: "/overview",
      };
    case "plan_changed":
      return {
        kind: "tenant.plan_changed",
        subject: "your plan has changed",
        title: "Your plan has changed",
        body:
          change.before === change.after
            ? `The operator moved your tenant to the newest terms of ${change.after}. Its limits hold already, and what was used in this period still counts.`
            : `The operator moved your tenant from ${change.before} to ${change.after}. Its limits hold already, and what was used in this period still counts.`,
        link: "/plans",
      };
    case "limits_changed":
      return {
        kind: "tenant.limits_changed",
        subject: "your limits have changed",
        title: "Your limits have changed",
        body: change.isOwn
          ? "The operator gave your tenant limits of its own. They hold already, and what was used in this period still counts."
          : "The limits of your plan hold for your tenant again. What was used in this period still counts.",
        link: "/usage",
      };
    default:
      return change satisfies never;
  }
}

/**
 * Tells the members of a tenant what the operator changed, if the caller's transaction commits: in the console, and its owners and
 * admins by mail as well. Needs the operator role.
 */
export async function tellOfChange(
  { mail, ...deps }: TellDeps,
  tx: Tx,
  { tenantId, change }: { tenantId: TenantId; change: ToldChange },
): Promise<void> {
  const notice = { ...toNotice(change), tenantId };
  await (mail === undefined
    ? notify(deps, tx, notice)
    : notifyMembers({ ...deps, ...mail }, tx, notice));
}
