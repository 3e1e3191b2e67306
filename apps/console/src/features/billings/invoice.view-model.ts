import { t } from "@lingui/core/macro";
import type { StateBadge } from "#components/billing/subscription.view-model.ts";
import type { InvoiceSummary } from "#platform/billing-queries.ts";

export const STATE_LABELS: Readonly<Record<InvoiceSummary["state"], string>> = {
  // The state: other languages have another word for what a button does.
  open: t({ message: "Open", context: "state" }),
  paid: t`Paid`,
  void: t`Void`,
  uncollectible: t`Written off`,
};

const TONES = {
  open: "info",
  paid: "ok",
  void: "neutral",
  uncollectible: "neutral",
} as const satisfies Record<InvoiceSummary["state"], StateBadge["tone"]>;

/**
 * The state of an invoice. An open one is overdue from its due date on.
 *
 * @param now - The clock of its environment, ISO 8601; undefined while it loads, when nothing is called overdue.
 */
export function toInvoiceBadge(
  { state, dueAt }: Pick<InvoiceSummary, "state" | "dueAt">,
  now: string | undefined,
): StateBadge {
  return state === "open" && now !== undefined && dueAt <= now
    ? { tone: "danger", label: t`Overdue` }
    : { tone: TONES[state], label: STATE_LABELS[state] };
}

/** The name of a file of an invoice: only what every system takes in a name. */
export function toFileName(number: string, ending: "pdf" | "csv" | "xml" | "json"): string {
  return `${number.replaceAll(/[^\w.-]+/g, "-")}.${ending}`;
}
