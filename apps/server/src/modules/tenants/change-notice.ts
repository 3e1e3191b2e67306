import { said } from "@turnpike/domain/text/said";
import type { MemberNotice } from "./mail-members.ts";

/** What the operator did that members hear of. */
export type ToldChange =
  | { kind: "suspended"; reason: string | null }
  | { kind: "resumed" }
  /** Names of plans; the same twice when the plan has newer terms. */
  | { kind: "plan_changed"; before: string; after: string }
  /** @property isOwn - False when the plan's limits hold again. */
  | { kind: "limits_changed"; isOwn: boolean };

/** Words of the notice of a change, and where it leads. */
export function toChangeNotice(change: ToldChange): MemberNotice {
  switch (change.kind) {
    case "suspended":
      return {
        kind: "tenant.suspended",
        subject: said("your tenant is suspended"),
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
        subject: said("your tenant is active again"),
        title: "Your tenant is active again",
        body: "The operator lifted the suspension: its keys work again.",
        link: "/overview",
      };
    case "plan_changed":
      return {
        kind: "tenant.plan_changed",
        subject: said("your plan has changed"),
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
        subject: said("your limits have changed"),
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
