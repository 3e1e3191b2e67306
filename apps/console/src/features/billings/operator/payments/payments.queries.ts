import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { Environment } from "#platform/current-environment.ts";

type Api = ApiClient["payments"];
export type ReceivedPayment = Awaited<ReturnType<Api["listPayments"]>>["items"][number];
export type FailedEvent = Awaited<ReturnType<Api["listFailedPaymentEvents"]>>["items"][number];
export type StatementLine = Awaited<ReturnType<Api["listStatementLines"]>>["items"][number];
export type StatementPreview = Awaited<ReturnType<Api["previewStatement"]>>;
export type StatementInput = Parameters<Api["importStatement"]>[0];
export type RefundInput = Parameters<Api["previewRefund"]>[0];
export type LineId = Parameters<Api["matchStatementLine"]>[0]["lineId"];

const KEY = "payments";
const PER_PAGE = 25;

export function paymentsQuery(
  api: ApiClient,
  { environment, cursor }: { environment: Environment; cursor: string | undefined },
) {
  return queryOptions({
    queryKey: [KEY, "received", environment, cursor],
    queryFn: ({ signal }) =>
      api.payments.listPayments(
        { environment, limit: PER_PAGE, ...(cursor === undefined ? {} : { cursor }) },
        { signal },
      ),
    staleTime: 0,
  });
}

const EVENTS_SHOWN = 20;

/** What the provider reported and could not be applied, newest first. */
export function failedEventsQuery(api: ApiClient, environment: Environment) {
  return queryOptions({
    queryKey: [KEY, "failed-events", environment],
    queryFn: ({ signal }) =>
      api.payments.listFailedPaymentEvents({ environment, limit: EVENTS_SHOWN }, { signal }),
    staleTime: 0,
  });
}

/** Lines of bank statements that wait, newest first. */
export function openLinesQuery(api: ApiClient) {
  return queryOptions({
    queryKey: [KEY, "lines", "open"],
    queryFn: ({ signal }) =>
      api.payments.listStatementLines({ state: "open", limit: 100 }, { signal }),
    staleTime: 0,
  });
}

/** Lines of bank statements that are decided, newest first. */
export function decidedLinesQuery(api: ApiClient, state: "ignored" | "matched") {
  return infiniteQueryOptions({
    queryKey: [KEY, "lines", state],
    queryFn: ({ pageParam, signal }) =>
      api.payments.listStatementLines(
        { state, limit: PER_PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 0,
  });
}

export function refundPreviewQuery(api: ApiClient, input: RefundInput) {
  return queryOptions({
    queryKey: [KEY, "refund-preview", input],
    queryFn: ({ signal }) => api.payments.previewRefund(input, { signal }),
    retry: false,
    staleTime: 0,
  });
}

/** How an invoice is paid: attempts, what comes next, the bank reference. */
export function collectionQuery(api: ApiClient, of: { tenantId: string; invoiceId: string }) {
  const input = of as Parameters<Api["getInvoiceCollection"]>[0];
  return queryOptions({
    queryKey: [KEY, "collection", of],
    queryFn: ({ signal }) => api.payments.getInvoiceCollection(input, { signal }),
    staleTime: 0,
  });
}

/** Asks again for what a payment has made old: invoices too. */
export async function refreshPayments(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: [KEY] }),
    client.invalidateQueries({ queryKey: ["all-invoices"] }),
  ]);
}
