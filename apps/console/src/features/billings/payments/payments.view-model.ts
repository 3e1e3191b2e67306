import { t } from "@lingui/core/macro";
import type { PaymentMethod } from "#platform/billing-queries.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import type { Attempt, BankAccount } from "./payments.queries.ts";

/** A card that expires within this time is pointed out, in milliseconds. */
const SOON_MS = 45 * 24 * 60 * 60 * 1000;

/** When a card ends, and whether that is soon. Undefined for what does not expire. */
export function describeExpiry(
  { expiresMonth, expiresYear }: PaymentMethod,
  nowMs: number,
): { text: string; isUrgent: boolean } | undefined {
  if (expiresMonth === null || expiresYear === null) {
    return;
  }
  // A card is good until the end of its month.
  const endMs = Date.UTC(expiresYear, expiresMonth, 1);
  const month = `${String(expiresMonth).padStart(2, "0")}/${String(expiresYear)}`;
  if (endMs <= nowMs) {
    return { text: t`Expired ${month}. Payments will fail: replace it.`, isUrgent: true };
  }
  const isUrgent = endMs - nowMs < SOON_MS;
  return { text: isUrgent ? t`Expires soon, ${month}.` : t`Expires ${month}.`, isUrgent };
}

/** Describes how an attempt to collect ended, in one sentence. */
export function describeAttempt(attempt: Attempt): string {
  const { provider, state, message, amount, currency, createdAt } = attempt;
  const money = formatMoney(amount, currency);
  const date = formatDate(createdAt);
  switch (state) {
    case "succeeded":
      return t`${money} paid on ${date}.`;
    case "failed":
      return t`${money} failed on ${date}${message === null ? "." : `: ${message.replace(/\.$/, "")}.`}`;
    case "action_required":
      return t`${money} on ${date} waits for your confirmation.`;
    default:
      return provider === "manual"
        ? t`${money} is expected by transfer since ${date}.`
        : t`${money} since ${date} is being processed.`;
  }
}

/** What a transfer needs, in the order in which banks ask for it. */
export function listBankFacts(
  { holder, iban, bic, bank, lines }: BankAccount,
  reference: string | undefined,
): { label: string; value: string }[] {
  const facts = [
    { label: t`Account holder`, value: holder },
    { label: "IBAN", value: iban },
    { label: "BIC", value: bic },
    { label: t`Bank`, value: bank },
    { label: t`Details`, value: lines.length === 0 ? null : lines.join("\n") },
    { label: t`Reference`, value: reference ?? null },
  ];
  return facts.flatMap(({ label, value }) => (value === null ? [] : [{ label, value }]));
}
