import { t } from "@lingui/core/macro";
import type { Tone } from "@turnpike/ui/badge";
import type { OverdueInvoice } from "./reports.queries.ts";

/** What happens next to an invoice that is not paid. */
export const STEP_LABELS: Readonly<Record<NonNullable<OverdueInvoice["next"]>["kind"], string>> = {
  "invoice.attempt": t`Attempt to collect`,
  "invoice.overdue": t`Overdue`,
  "invoice.reminder": t`Reminder`,
  "invoice.final_notice": t`Last notice`,
  "invoice.blocked": t`Calls are denied`,
};

/** What a tenant may still do. */
export const STANDING_BADGES: Readonly<Record<string, { tone: Tone; label: string } | undefined>> =
  {
    current: { tone: "ok", label: t`In good standing` },
    overdue: { tone: "warning", label: t`Overdue` },
    grace: { tone: "warning", label: t`Last notice` },
    blocked: { tone: "danger", label: t`Blocked` },
    capped: { tone: "warning", label: t`At its cap` },
  };
