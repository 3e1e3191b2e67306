import type { Tone } from "@turnpike/ui/badge";
import type { OverdueInvoice } from "./reports.queries.ts";

/** What happens next to an invoice that is not paid. */
export const STEP_LABELS: Readonly<Record<NonNullable<OverdueInvoice["next"]>["kind"], string>> = {
  "invoice.attempt": "Attempt to collect",
  "invoice.overdue": "Overdue",
  "invoice.reminder": "Reminder",
  "invoice.final_notice": "Last notice",
  "invoice.blocked": "Calls are refused",
};

/** What a tenant may still do. */
export const STANDING_BADGES: Readonly<Record<string, { tone: Tone; label: string } | undefined>> =
  {
    current: { tone: "ok", label: "In good standing" },
    overdue: { tone: "warning", label: "Overdue" },
    grace: { tone: "warning", label: "Last notice" },
    blocked: { tone: "danger", label: "Blocked" },
    capped: { tone: "warning", label: "At its cap" },
  };
