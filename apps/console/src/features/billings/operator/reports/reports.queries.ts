import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { RowKind } from "./reports-search.view-model.ts";

type Api = ApiClient["revenue"];
export type RevenueReport = Awaited<ReturnType<Api["getRevenue"]>>;
export type RevenueOfCurrency = RevenueReport["currencies"][number];
export type RevenueMonth = RevenueOfCurrency["months"][number];
export type RevenueCustomer = Awaited<ReturnType<Api["listRevenueCustomers"]>>["items"][number];
export type UsageInvoice = Awaited<ReturnType<Api["listUsageInvoices"]>>["items"][number];
export type OverdueInvoice = Awaited<ReturnType<Api["listOverdueInvoices"]>>["items"][number];
export type TaxReport = Awaited<ReturnType<Api["getTaxReport"]>>;
export type BillingSetup = Awaited<ReturnType<Api["getBillingSetup"]>>;
export type TaxCell = TaxReport["cells"][number];
export type TaxDocument = Awaited<ReturnType<Api["listTaxDocuments"]>>["items"][number];

const KEY = "operator-reports";
const PER_PAGE = 25;

function after(cursor: string | undefined) {
  return { limit: PER_PAGE, ...(cursor === undefined ? {} : { cursor }) };
}

/** Recurring revenue of the last year. */
export function revenueQuery(api: ApiClient) {
  return queryOptions({
    queryKey: [KEY, "revenue"],
    queryFn: ({ signal }): Promise<RevenueReport> =>
      api.revenue.getRevenue({ months: 12 }, { signal }),
  });
}

export type RowsOf = { month: string; currency: string; cursor: string | undefined };

export function customersQuery(
  api: ApiClient,
  { month, currency, cursor, rows }: RowsOf & { rows: Exclude<RowKind, "usage"> },
) {
  return queryOptions({
    queryKey: [KEY, "customers", month, currency, rows, cursor],
    queryFn: ({ signal }) =>
      api.revenue.listRevenueCustomers({ month, currency, rows, ...after(cursor) }, { signal }),
  });
}

export function usageInvoicesQuery(api: ApiClient, { month, currency, cursor }: RowsOf) {
  return queryOptions({
    queryKey: [KEY, "usage", month, currency, cursor],
    queryFn: ({ signal }) =>
      api.revenue.listUsageInvoices({ month, currency, ...after(cursor) }, { signal }),
  });
}

export function overdueQuery(
  api: ApiClient,
  {
    currency,
    age,
    cursor,
  }: { currency: string | undefined; age: number | undefined; cursor: string | undefined },
) {
  return queryOptions({
    queryKey: [KEY, "overdue", currency, age, cursor],
    queryFn: ({ signal }) =>
      api.revenue.listOverdueInvoices(
        {
          ...(currency === undefined ? {} : { currency }),
          ...(age === undefined ? {} : { fromDays: age }),
          ...after(cursor),
        },
        { signal },
      ),
    staleTime: 0,
  });
}

export function taxReportQuery(api: ApiClient, period: string) {
  return queryOptions({
    queryKey: [KEY, "tax", period],
    queryFn: ({ signal }): Promise<TaxReport> => api.revenue.getTaxReport({ period }, { signal }),
  });
}

export function taxDocumentsQuery(
  api: ApiClient,
  { period, cell, cursor }: { period: string; cell: TaxCell; cursor: string | undefined },
) {
  const { currency, country, category, rate, name, sellerCountry } = cell;
  const asked = {
    period,
    currency,
    country,
    category,
    rate,
    seller: sellerCountry,
    ...(name === null ? {} : { name }),
  };
  return queryOptions({
    queryKey: [KEY, "tax-documents", asked, cursor],
    queryFn: ({ signal }) =>
      api.revenue.listTaxDocuments({ ...asked, ...after(cursor) }, { signal }),
  });
}

export function billingSetupQuery(api: ApiClient) {
  return queryOptions({
    queryKey: [KEY, "setup"],
    queryFn: ({ signal }): Promise<BillingSetup> => api.revenue.getBillingSetup({}, { signal }),
  });
}
