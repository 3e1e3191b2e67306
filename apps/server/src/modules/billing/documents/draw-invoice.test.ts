import { describe, expect, it } from "vitest";
import { drawInvoice, groupDigits, type PrintedInvoice } from "./draw-invoice.ts";

const LINE: PrintedInvoice["lines"][number] = {
  number: 1,
  kind: "usage",
  description: "Pro: Requests",
  planId: "pro",
  card: "requests",
  meterId: "requests",
  unit: "request",
  from: "2026-11-01T00:00:00.000Z",
  to: "2026-12-01T00:00:00.000Z",
  quantity: "1500",
  amount: "5.00",
  discount: "0.00",
  credited: "0.00",
  tiers: [
    { upTo: "1000", quantity: "1000", amount: "0" },
    { upTo: null, quantity: "500", amount: "5" },
  ],
  reason: null,
  couponId: null,
  hasUsage: true,
};

function invoiceOf(lines: number, more: Partial<PrintedInvoice> = {}): PrintedInvoice {
  return {
    number: "INV-2026-000001",
    issuedAt: "2026-12-01T00:01:00.000Z",
    dueAt: "2026-12-15T00:01:00.000Z",
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-12-01T00:00:00.000Z",
    currency: "EUR",
    lines: Array.from({ length: lines }, (_, index) => ({ ...LINE, number: index + 1 })),
    net: "5.00",
    taxes: [{ category: "AE", rate: "0", name: null, base: "5.00", amount: "0.00" }],
    total: "5.00",
    fromBalance: "1.50",
    prepaid: "0.00",
    seller: {
      name: "Example Ltd",
      lines: ["1 High Street"],
      country: "GB",
      taxId: "GB123456789",
      email: null,
    },
    customer: { name: "Ελλάς · Пример · Łódź", lines: [], country: "GR", taxId: null, email: null },
    ...more,
  };
}

function countPages(pdf: Uint8Array): number {
  return (
    Buffer.from(pdf)
      .toString("latin1")
      .match(/\/Type \/Page\b(?!s)/g)?.length ?? 0
  );
}

describe("drawInvoice", () => {
  it("gives the same bytes for the same invoice, also when something was paid since", async () => {
    const first = await drawInvoice(invoiceOf(3));
    const paid = { ...invoiceOf(3), state: "paid", paid: "3.50", due: "0.00" };
    expect(Buffer.compare(first, await drawInvoice(paid))).toBe(0);
    expect(Buffer.from(first).subarray(0, 5).toString()).toBe("%PDF-");
  });

  it("fits any number of lines on as many pages as they need", async () => {
    expect(countPages(await drawInvoice(invoiceOf(1)))).toBe(1);
    expect(countPages(await drawInvoice(invoiceOf(200)))).toBeGreaterThan(10);
  });

  it("draws currencies without decimals", async () => {
    const yen = invoiceOf(1, {
      currency: "JPY",
      net: "5000",
      total: "5000",
      fromBalance: "0",
      prepaid: "0",
    });
    expect(countPages(await drawInvoice(yen))).toBe(1);
  });
});

describe("groupDigits", () => {
  it.each([
    ["1234567.5", "1,234,567.5"],
    ["-1234.50", "-1,234.50"],
    ["999", "999"],
    ["0.123456", "0.123456"],
  ])("writes %s as %s", (decimal, text) => {
    expect(groupDigits(decimal)).toBe(text);
  });
});
