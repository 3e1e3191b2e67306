import { t } from "@lingui/core/macro";
import type { Quote } from "#platform/billing-queries.ts";
import { RequestError } from "#platform/error-message.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatDate, formatMinute } from "#platform/format-period.ts";

/** What the button says that confirms a quote: it names the sum. */
export function toConfirmLabel({ dueNow, currency }: Pick<Quote, "dueNow" | "currency">): string {
  return isZero(dueNow)
    ? t`Confirm: nothing due now`
    : t`Confirm for ${formatMoney(dueNow, currency)}`;
}

/** When the change takes effect. */
export function toEffect({ at, effectiveAt }: Pick<Quote, "at" | "effectiveAt">): string {
  return effectiveAt <= at
    ? t`Takes effect at once.`
    : t`Takes effect on ${formatMinute(effectiveAt)}.`;
}

/** What begins anew with a first subscription; undefined for every other change. */
export function toFirstPeriodText({
  action,
  at,
  effectiveAt,
}: Pick<Quote, "action" | "at" | "effectiveAt">): string | undefined {
  if (action.do !== "subscribe") {
    return;
  }
  return effectiveAt <= at
    ? t`The first billing period begins now, and quotas count from zero.`
    : t`The first billing period begins then, and quotas count from zero.`;
}

export type QuoteFact = { key: string; label: string; value: string };

/** The sums of a quote: what is due now comes last, as on an invoice. */
export function toQuoteFacts(quote: Quote): readonly QuoteFact[] {
  const { currency } = quote;
  const balance = {
    key: "balance",
    label: t`Balance afterwards`,
    value: formatMoney(quote.balance, currency),
  };
  return [
    ...(isZero(quote.balance) ? [] : [balance]),
    ...(quote.nextAt === null || quote.nextTotal === null
      ? []
      : [
          {
            key: "next",
            label: t`Next invoice, ${formatDate(quote.nextAt)}`,
            value: t`${formatMoney(quote.nextTotal, currency)} plus usage`,
          },
        ]),
    { key: "due", label: t`Due now`, value: formatMoney(quote.dueNow, currency) },
  ];
}

/** What differs between the quote that was read and the one that replaced it, one sentence each. */
export function toQuoteChanges(before: Quote, after: Quote): readonly string[] {
  const facts = new Map(toQuoteFacts(before).map(({ key, ...fact }) => [key, fact]));
  const changed = toQuoteFacts(after).flatMap(({ key, label, value }) => {
    const old = facts.get(key);
    return old?.value === value && old.label === label
      ? []
      : [t`${label}: ${value}${old === undefined ? "" : t`, was ${old.value}`}.`];
  });
  if (toEffect(before) !== toEffect(after)) {
    changed.push(toEffect(after));
  }
  return changed.length > 0
    ? changed
    : [t`The sums are the same; the lines below are the new ones.`];
}

/**
 * The new quote in a refusal to confirm an old one.
 *
 * @param cause - What confirming failed with.
 * @returns Undefined for every other failure.
 */
export function findChangedQuote(cause: unknown): Quote | undefined {
  if (!(cause instanceof RequestError) || cause.code !== "QUOTE_CHANGED") {
    return;
  }
  const { body } = cause;
  const quote = typeof body === "object" && body !== null && "quote" in body && body.quote;
  return isQuote(quote) ? quote : undefined;
}

/** The server's own contract, looked at where the console depends on it. */
function isQuote(value: unknown): value is Quote {
  return (
    typeof value === "object" &&
    value !== null &&
    "hash" in value &&
    typeof value.hash === "string" &&
    "dueNow" in value &&
    typeof value.dueNow === "string" &&
    "invoices" in value &&
    Array.isArray(value.invoices)
  );
}
