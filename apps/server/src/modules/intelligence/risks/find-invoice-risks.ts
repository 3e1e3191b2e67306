import type { TenantId } from "@turnpike/domain/ids/ids";
import { said } from "@turnpike/domain/text/said";
import {
  type BillingDeps,
  type FailedPayment,
  listFailedPayments,
  listInvoices,
} from "#modules/billing/index.ts";
import { systemContext } from "../ask-usage.ts";
import type { FoundInsight } from "../found-insight.ts";
import { joinNames, toFound } from "./fact.ts";

const INVOICES_MAX = 20;

/** Payments by one way to pay fail for one reason: they are one insight. */
function toPaymentInsights(failed: readonly FailedPayment[]): FoundInsight[] {
  const byMethod = Map.groupBy(failed, ({ methodRef }) => methodRef);
  return [...byMethod].flatMap(([methodRef, payments]) => {
    const [first] = payments;
    if (first === undefined) {
      return [];
    }
    const numbers = joinNames(payments.map(({ number }) => number));
    const { failedAt, reason, needsConsent } = first;
    const what = needsConsent
      ? said(`The bank asks for a confirmation of the payment of ${numbers}`)
      : reason === null
        ? said(`The payment of ${numbers} failed on ${failedAt.toISOString().slice(0, 10)}`)
        : said(
            `The payment of ${numbers} failed on ${failedAt.toISOString().slice(0, 10)} (${reason.replaceAll("_", " ")})`,
          );
    return [
      toFound({
        kind: "payment_failed",
        fingerprint: `payment_failed ${methodRef} ${first.invoiceId}`,
        sinceMs: failedAt.getTime(),
        text:
          payments.length === 1
            ? `${what}: calls will be denied if it is not paid.`
            : `${what}: calls will be denied if they are not paid.`,
        action: { do: "pay_invoice", invoiceId: first.invoiceId },
      }),
    ];
  });
}

/** Finds payments that failed, and open invoices past their day. An invoice whose payment failed is in one insight. */
export async function findInvoiceRisks(
  deps: BillingDeps,
  tenantId: TenantId,
): Promise<FoundInsight[]> {
  const { items } = await listInvoices(deps, systemContext(deps), {
    tenantId,
    environment: "live",
    state: "open",
    limit: INVOICES_MAX,
  });
  if (items.length === 0) {
    return [];
  }
  const nowMs = deps.clock.now().getTime();
  const failed = await listFailedPayments(deps, systemContext(deps), { tenantId });
  const isFailed = (invoiceId: string) => failed.some((payment) => payment.invoiceId === invoiceId);
  const overdue = items.flatMap(({ invoiceId, number, dueAt, due, currency }) =>
    Date.parse(dueAt) > nowMs || isFailed(invoiceId)
      ? []
      : [
          toFound({
            kind: "invoice_overdue",
            fingerprint: `invoice_overdue ${invoiceId}`,
            sinceMs: Date.parse(dueAt),
            text: `The invoice ${number} was due on ${dueAt.slice(0, 10)}: ${due} ${currency} is open.`,
            action: { do: "pay_invoice", invoiceId },
          }),
        ],
  );
  return [...toPaymentInsights(failed), ...overdue];
}
