import { t } from "@lingui/core/macro";
import type { Tone } from "@turnpike/ui/badge";
import { formatMoney } from "#platform/format-money.ts";
import type { StatementLine } from "./payments.queries.ts";

type Proposal = StatementLine["proposals"][number];

const BASES: Readonly<Record<Proposal["basis"], string>> = {
  reference: t`the reference is right`,
  number: t`its number is named`,
  amount_and_name: t`amount and name fit`,
  amount: t`just this is due`,
};

/** Why a line may pay an invoice, in a few words. */
export function describeProposal({ basis, due, currency, isCertain }: Proposal): string {
  const why = t`${BASES[basis]}, ${formatMoney(due, currency)} due`;
  return isCertain ? t`certain, ${why}` : why;
}

/** False for money that left the account. */
export function isIncoming({ amount }: Pick<StatementLine, "amount">): boolean {
  return !amount.startsWith("-");
}

/** What came of trying again what could not be applied. */
export function describeRetries({
  applied,
  failed,
  left,
}: {
  applied: number;
  failed: number;
  left: number;
}): string {
  const done = t`${String(applied)} applied`;
  const rest = left - failed;
  return [
    done,
    ...(failed > 0 ? [t`${String(failed)} failed again`] : []),
    ...(rest > 0 ? [t`${String(rest)} not tried yet`] : []),
  ].join(", ");
}

const ATTEMPT_BADGES: Readonly<Record<string, { tone: Tone; label: string }>> = {
  pending: { tone: "neutral", label: t`Waiting` },
  succeeded: { tone: "ok", label: t`Paid` },
  failed: { tone: "danger", label: t`Failed` },
  action_required: { tone: "warning", label: t`Has to be confirmed` },
  processing: { tone: "info", label: t`Under way` },
  unknown: { tone: "warning", label: t`No answer yet` },
};

/** A request to transfer is under way as long as the customer takes. */
export function toAttemptBadge({ provider, state }: { provider: string; state: string }): {
  tone: Tone;
  label: string;
} {
  return provider === "manual" && state === "processing"
    ? { tone: "neutral", label: t`Transfer expected` }
    : (ATTEMPT_BADGES[state] ?? { tone: "neutral", label: state });
}

export const CAUSES: Readonly<Record<string, string>> = {
  issued: t`When it was issued`,
  calendar: t`By the calendar`,
  method: t`By a new way to pay`,
  person: t`Asked for`,
};

export const COLUMN_LABELS = {
  date: t`Date`,
  amount: t`Amount`,
  currency: t`Currency`,
  payer: t`Payer`,
  payerAccount: t`Account of the payer`,
  purpose: t`Purpose`,
  bankReference: t`Id of the bank`,
} as const;
export type ColumnName = keyof typeof COLUMN_LABELS;
export const COLUMN_NAMES = Object.keys(COLUMN_LABELS) as readonly ColumnName[];
