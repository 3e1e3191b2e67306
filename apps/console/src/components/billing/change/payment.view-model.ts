import { t } from "@lingui/core/macro";
import type { PaymentSetup, Quote } from "#platform/billing-queries.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { nameMethod } from "../payment-method.view-model.ts";

/**
 * How and when a change is paid, in one or two sentences.
 *
 * @param quote - What the change comes to.
 * @param setup - How the tenant pays.
 */
export function toPaymentText(
  quote: Pick<Quote, "dueNow" | "currency" | "nextAt">,
  setup: PaymentSetup,
): string {
  return isZero(quote.dueNow)
    ? [t`Nothing is due now.`, ...(quote.nextAt === null ? [] : [toLaterText(setup)])].join(" ")
    : toNowText(formatMoney(quote.dueNow, quote.currency), setup);
}

function toNowText(sum: string, { method, canSetUp, bank }: PaymentSetup): string {
  if (method !== null) {
    return t`${sum} is charged to ${nameMethod(method)} as soon as you confirm.`;
  }
  if (canSetUp) {
    return bank === null
      ? t`An invoice of ${sum} is issued. There is no payment method yet: add one under Billings to pay it.`
      : t`An invoice of ${sum} is issued. Pay it by transfer, or add a payment method under Billings.`;
  }
  return bank === null
    ? t`An invoice of ${sum} is issued, which says how and by when it is paid.`
    : t`An invoice of ${sum} is issued, paid by transfer: it names the account, the reference and the date.`;
}

function toLaterText({ method, canSetUp, bank }: PaymentSetup): string {
  if (method !== null) {
    return t`Later invoices are charged to ${nameMethod(method)} when they are issued.`;
  }
  if (canSetUp) {
    return t`There is no payment method yet: add one under Billings before the next invoice.`;
  }
  return bank === null
    ? t`Later invoices say how and by when they are paid.`
    : t`Later invoices are paid by transfer.`;
}
