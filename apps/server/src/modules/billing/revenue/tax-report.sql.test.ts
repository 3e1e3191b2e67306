import type { TaxCell, TaxReport } from "@turnpike/contract/tax-report";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { voidInvoice } from "../invoices/void-invoice.ts";
import { act, publishPricedPlans } from "../testing/billing.fixture.ts";
import { createCustomer, toTaxedDeps } from "../testing/taxed.fixture.ts";
import { getTaxReport } from "./get-tax-report.ts";
import { listTaxDocuments } from "./list-tax-documents.ts";
import { writeTaxCsv } from "./report-csv.ts";

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
let january: TaxReport;
let voided: string;

async function moveTo(instant: string): Promise<void> {
  services.clock.advance(Date.parse(instant) - services.clock.now().getTime());
}

async function invoiceOf(tenantId: TenantId): Promise<string> {
  const page = { tenantId, environment: "live" as const, limit: 1 };
  const { items } = await listInvoices(deps, OPERATOR_CONTEXT, page);
  return items[0]?.invoiceId ?? expect.fail("no invoice");
}

const reportOf = (period: string) => getTaxReport(deps, OPERATOR_CONTEXT, { period });

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  deps = toTaxedDeps(services);
  await createTestTenant(services);
  await publishPricedPlans(services);
  await moveTo("2027-01-31T23:30:00Z");
  const customers = [
    { name: "Home", country: "DE" },
    { name: "Silent" },
    { name: "Consumer", country: "FR" },
    { name: "Company", country: "FR", taxId: "FR40303265045", status: "confirmed" as const },
    { name: "Far", country: "US" },
    { name: "Exempt", country: "DE", exemption: "Certificate 7" },
    { name: "Wrong", country: "DE" },
  ];
  const tenants = new Map<string, TenantId>();
  for (const customer of customers) {
    const tenantId = await createCustomer(deps, customer);
    tenants.set(customer.name, tenantId);
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  }
  const of = (name: string) => tenants.get(name) ?? expect.fail(name);
  const untaxed = { ...deps, billing: { ...deps.billing, tax: undefined } };
  const { tenantId } = await createTestTenant(services, "Before tax");
  await act(untaxed, { tenantId }, { do: "subscribe", planId: "metered" });
  january = await reportOf("2027-01");
  await moveTo("2027-02-01T00:30:00Z");
  await createCreditNote(deps, OPERATOR_CONTEXT, {
    invoiceId: await invoiceOf(of("Company")),
    reason: "Outage.",
    amount: "10",
  });
  await createCreditNote(deps, OPERATOR_CONTEXT, {
    invoiceId: await invoiceOf(of("Home")),
    reason: "Outage.",
    amount: "5.95",
  });
  voided = await invoiceOf(of("Wrong"));
  await voidInvoice(deps, OPERATOR_CONTEXT, { invoiceId: voided, reason: "Another company." });
});
afterAll(() => database.close());

const toText = ({ country, scheme, category, rate, documents, net, tax }: TaxCell) =>
  [country, scheme, category, rate, documents, net, tax].join(" ");

describe("a tax report", () => {
  it("is fed from the documents that were issued, without a look at all of them", async () => {
    const [scans] = await database.sql.begin(async (tx) => {
      await tx`set local enable_seqscan = off`;
      const read = await tx`select from taxes_of_documents(array[${voided}])`;
      expect(read).toHaveLength(1);
      return await tx<{ all: number }[]>`
        select sum(seq_scan)::int as all from pg_stat_xact_user_tables where relname in ('invoices', 'credit_notes')`;
    });
    expect(scans?.all).toBe(0);
  });

  it("sums invoices by country, category and rate in the month of their issue", async () => {
    expect(january.cells.map(toText).sort()).toEqual([
      "DE domestic S 19 3 93.00 17.67",
      "DE exempt E 0 1 31.00 0.00",
      "DE untaxed none 0 1 31.00 0.00",
      "FR oss S 20 1 31.00 6.20",
      "FR reverse_charge AE 0 1 31.00 0.00",
      "US outside O 0 1 31.00 0.00",
    ]);
    expect(january.totals).toEqual([
      { currency: "USD", invoices: 8, creditNotes: 0, voided: 0, net: "248.00", tax: "23.87" },
    ]);
    expect(january.ecSales).toEqual([
      {
        currency: "USD",
        country: "FR",
        taxId: "FR40303265045",
        name: "Company SA",
        net: "31.00",
      },
    ]);
  });

  it("leaves a month as it was: credit notes and void invoices count where they happened", async () => {
    expect({ ...(await reportOf("2027-01")), isOver: january.isOver }).toEqual(january);
    const february = await reportOf("2027-02");
    expect(february.cells.map(toText)).toEqual([
      "DE domestic S 19 2 -36.95 -7.02",
      "FR reverse_charge AE 0 1 -10.00 0.00",
    ]);
    expect(february.ecSales.map(({ net }) => net)).toEqual(["-10.00"]);
    expect(february.totals).toMatchObject([{ invoices: 0, creditNotes: 2, voided: 1 }]);
  });

  it("comes to the sum of its documents, in the tables, in each row and in the file", async () => {
    const quarter = await reportOf("2027-Q1");
    const [tables] = await database.sql<{ net: string; tax: string }[]>`
      select sum(net)::text as net, sum(tax)::text as tax from (
        select net, tax from invoices where environment = 'live' and state <> 'void'
        union all select -net, -tax from credit_notes where environment = 'live') d`;
    const minor = (amount: string) => String(toScaled(amount) / 10n ** 10n);
    const [total] = quarter.totals;
    expect([minor(total?.net ?? ""), minor(total?.tax ?? "")]).toEqual([tables?.net, tables?.tax]);
    const sums = { net: 0n, tax: 0n };
    for (const { sellerCountry, documents, net, tax, scheme, name, ...cell } of quarter.cells) {
      const asked = { period: "2027-Q1", ...cell, seller: sellerCountry, limit: 2 };
      const ofCell = { count: 0, net: 0n, tax: 0n };
      for (let cursor: string | undefined; ; ) {
        const page: Awaited<ReturnType<typeof listTaxDocuments>> = await listTaxDocuments(
          deps,
          OPERATOR_CONTEXT,
          { ...asked, ...(cursor === undefined ? {} : { cursor }) },
        );
        for (const document of page.items) {
          ofCell.count += 1;
          ofCell.net += toScaled(document.net);
          ofCell.tax += toScaled(document.tax);
        }
        if (page.nextCursor === null) {
          break;
        }
        cursor = page.nextCursor;
      }
      expect(ofCell).toEqual({ count: documents, net: toScaled(net), tax: toScaled(tax) });
      sums.net += ofCell.net;
      sums.tax += ofCell.tax;
    }
    expect(sums).toEqual({ net: toScaled(total?.net ?? ""), tax: toScaled(total?.tax ?? "") });
    const lines: string[] = [];
    for await (const part of writeTaxCsv(deps, OPERATOR_CONTEXT, { period: "2027-Q1" })) {
      lines.push(...part.split("\r\n").filter((line) => line !== ""));
    }
    const file = lines.slice(1).map((line) => line.split(",").slice(-2));
    expect(file).toHaveLength(11);
    expect(file.reduce((sum, [net = ""]) => sum + toScaled(net), 0n)).toBe(sums.net);
    expect(file.reduce((sum, [, tax = ""]) => sum + toScaled(tax), 0n)).toBe(sums.tax);
  });

  it("leaves a void invoice in its month when money for it comes later", async () => {
    const { isOver: _isOver, ...before } = await reportOf("2027-02");
    await moveTo("2027-03-20T00:00:00Z");
    const late = { invoiceId: voided, amount: "36.89", reference: "Late" };
    await recordPayment(deps, OPERATOR_CONTEXT, late);
    expect(await reportOf("2027-02")).toMatchObject(before);
  });
});
