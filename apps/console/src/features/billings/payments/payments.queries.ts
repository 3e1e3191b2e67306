import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { billingKey, type Invoice, type PaymentSetup } from "#platform/billing-queries.ts";

export type BankAccount = NonNullable<PaymentSetup["bank"]>;
export type Collection = Awaited<ReturnType<ApiClient["payments"]["getInvoiceCollection"]>>;
export type Attempt = Collection["attempts"][number];

/** A payment under way ends outside of this page, in milliseconds. */
const REFRESH_MS = 5_000;
const UNDER_WAY: readonly Attempt["state"][] = ["pending", "processing", "unknown"];

/** A transfer that the customer was asked for ends when it is made: nothing waits for it here. */
export function isUnderWay({ provider, state }: Attempt): boolean {
  return provider !== "manual" && UNDER_WAY.includes(state);
}

export const paymentsQueries = {
  /** How an invoice is paid; asked for again while a payment is under way. */
  collection: (api: ApiClient, { tenantId, invoiceId }: Pick<Invoice, "tenantId" | "invoiceId">) =>
    queryOptions({
      queryKey: [...billingKey({ tenantId }), "collection", invoiceId],
      queryFn: ({ signal }): Promise<Collection> =>
        api.payments.getInvoiceCollection({ tenantId, invoiceId }, { signal }),
      refetchInterval: ({ state }) => (state.data?.attempts.some(isUnderWay) ? REFRESH_MS : false),
    }),
};
