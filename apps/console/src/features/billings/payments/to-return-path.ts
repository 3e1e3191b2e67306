import type { BillingPlace } from "#platform/billing-queries.ts";

/** The page that a provider of payments sends the browser back to. */
export function toReturnPath({ environment }: BillingPlace, invoiceId?: string): string {
  const search = [
    ...(environment === "test" ? ["environment=test"] : []),
    ...(invoiceId === undefined ? [] : [`invoice=${invoiceId}`]),
  ];
  return search.length === 0 ? "/billings" : `/billings?${search.join("&")}`;
}
