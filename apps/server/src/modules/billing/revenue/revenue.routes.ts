import { implement } from "@orpc/server";
import { billingSetupContract } from "@turnpike/contract/billing-setup";
import { revenueContract, revenueCsvQuery } from "@turnpike/contract/revenue";
import { taxReportContract, taxReportQuery } from "@turnpike/contract/tax-report";
import type { HttpContext } from "#http/http-context.ts";
import { parseQuery } from "#http/parse-query.ts";
import type { RawCall, RawRoute } from "#http/raw-route.ts";
import { sendLines } from "#http/send-lines.ts";
import { toAttachmentHeaders } from "#modules/files/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { getBillingSetup } from "./get-billing-setup.ts";
import { getRevenue } from "./get-revenue.ts";
import { getTaxReport } from "./get-tax-report.ts";
import { listOverdueInvoices } from "./list-overdue-invoices.ts";
import { listRevenueCustomers } from "./list-revenue-customers.ts";
import { listTaxDocuments } from "./list-tax-documents.ts";
import { listUsageInvoices } from "./list-usage-invoices.ts";
import { writeRevenueCsv, writeTaxCsv } from "./report-csv.ts";

export function createRevenueRoutes(deps: BillingDeps) {
  const os = implement({
    ...revenueContract,
    ...taxReportContract,
    ...billingSetupContract,
  }).$context<HttpContext>();
  return os.router({
    getRevenue: os.getRevenue.handler(({ input, context }) =>
      getRevenue(deps, context.call(), input),
    ),
    listRevenueCustomers: os.listRevenueCustomers.handler(({ input, context }) =>
      listRevenueCustomers(deps, context.call(), input),
    ),
    listUsageInvoices: os.listUsageInvoices.handler(({ input, context }) =>
      listUsageInvoices(deps, context.call(), input),
    ),
    listOverdueInvoices: os.listOverdueInvoices.handler(({ input, context }) =>
      listOverdueInvoices(deps, context.call(), input),
    ),
    getTaxReport: os.getTaxReport.handler(({ input, context }) =>
      getTaxReport(deps, context.call(), input),
    ),
    getBillingSetup: os.getBillingSetup.handler(({ context }) =>
      getBillingSetup(deps, context.call()),
    ),
    listTaxDocuments: os.listTaxDocuments.handler(({ input, context }) =>
      listTaxDocuments(deps, context.call(), input),
    ),
  });
}

/** Sends lines as they are read. A caller who may not is refused before the head is sent. */
async function sendCsv(
  call: RawCall,
  { lines, name }: { lines: AsyncGenerator<string>; name: string },
): Promise<void> {
  const type = { name, mediaType: "text/csv; charset=utf-8; header=present", bytes: 0 };
  const { "content-length": _, ...headers } = toAttachmentHeaders(type);
  await sendLines(call, { lines, headers });
}

/** Reports as files: as long as there are customers and documents. */
export function createRevenueRawRoutes(deps: BillingDeps): RawRoute[] {
  return [
    {
      method: "GET",
      path: "/v1/revenue/csv",
      handle: async (call) => {
        const input = parseQuery(call, revenueCsvQuery, {});
        const lines = writeRevenueCsv(deps, call.context.call(), input);
        await sendCsv(call, { lines, name: `revenue-${input.month}-${input.currency}.csv` });
      },
    },
    {
      method: "GET",
      path: "/v1/tax-report/csv",
      handle: async (call) => {
        const input = parseQuery(call, taxReportQuery, {});
        const lines = writeTaxCsv(deps, call.context.call(), input);
        await sendCsv(call, { lines, name: `tax-${input.period}.csv` });
      },
    },
  ];
}
