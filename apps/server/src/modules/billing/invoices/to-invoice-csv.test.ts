import type { Invoice } from "@turnpike/contract/invoices";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { describe, expect, it } from "vitest";
import { toInvoiceCsv } from "./to-invoice-csv.ts";

const party = { name: "Acme", lines: [], country: null, taxId: null, email: null };
const line: Invoice["lines"][number] = {
  number: 1,
  kind: "usage",
  description: "Pro: calls",
  planId: "pro",
  card: "calls",
  meterId: "requests",
  unit: "call",
  from: "2026-01-01T00:00:00.000Z",
  to: "2026-02-01T00:00:00.000Z",
  quantity: "1200.5",
  amount: "12.01",
  discount: "1.20",
  credited: "0.00",
  tiers: [],
  reason: null,
  couponId: null,
  hasUsage: true,
};
const invoice: Invoice = {
  invoiceId: "inv_1",
  tenantId: "ten_1" as TenantId,
  tenantName: "Acme",
  environment: "live",
  number: "INV-2026-000001",
  state: "open",
  issuedAt: "2026-02-01T00:01:00.000Z",
  dueAt: "2026-02-15T00:01:00.000Z",
  from: line.from,
  to: line.to,
  currency: "EUR",
  lines: [line],
  net: "10.81",
  taxes: [{ category: "S", rate: "19", name: "MwSt", base: "10.81", amount: "2.05" }],
  accountingTax: {
    ...{ currency: "SEK", amount: "22.55", rate: "11", rateFrom: "2026-02-01", source: null },
  },
  total: "12.86",
  fromBalance: "0.00",
  prepaid: "0.00",
  toBalance: "0.00",
  paid: "0.00",
  credited: "0.00",
  due: "12.86",
  seller: party,
  customer: party,
  cutOffAt: "2026-02-01T00:01:00.000Z",
  creditNotes: [],
  payments: [],
};

const rowsOf = (csv: string) => csv.split("\r\n").slice(0, -1);

describe("an invoice as CSV", () => {
  it("has a line of names, its lines, its taxes and its sums", () => {
    const rows = rowsOf(toInvoiceCsv(invoice));
    const names = rows[0]?.split(",") ?? [];
    const records = rows.slice(1).map((row) => {
      const cells = row.split(",");
      return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
    });
    expect(records).toMatchObject([
      { record: "line", invoice: "INV-2026-000001", quantity: "1200.5", amount: "12.01" },
      { record: "tax", tax_category: "S", tax_rate: "19", tax_base: "10.81", amount: "2.05" },
      { record: "accountingTax", amount: "22.55", tax_name: "SEK", tax_rate: "11" },
      { record: "net", amount: "10.81" },
      { record: "total", amount: "12.86", currency: "EUR" },
      { record: "fromBalance" },
      { record: "prepaid" },
      { record: "paid" },
      { record: "credited" },
      { record: "toBalance" },
      { record: "due", amount: "12.86" },
    ]);
    expect(rows.every((row) => row.split(",").length === names.length)).toBe(true);
  });

  it("runs no formula: a text that would be one begins with an apostrophe, an amount below 0 stays a number", () => {
    const csv = toInvoiceCsv({
      ...invoice,
      lines: [
        {
          ...line,
          kind: "adjustment",
          description: '=HYPERLINK("http://evil.example","x")',
          meterId: "@meter",
          unit: "+1",
          amount: "-5.00",
        },
      ],
    });
    const [, row = ""] = rowsOf(csv);
    expect(row).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
    expect(row).toContain(`"'@meter","'+1"`);
    expect(row).toContain(",-5.00,");
  });
});
