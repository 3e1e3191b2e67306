// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { billingSetup } from "@turnpike/contract/billing-setup";
import { overdueInvoice, revenueCustomer, revenueReport } from "@turnpike/contract/revenue";
import { tenantId } from "@turnpike/contract/shapes";
import { taxDocument, taxReport } from "@turnpike/contract/tax-report";
import { afterEach, expect, it } from "vitest";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";
import { type BillingsAddress, parseBillingsAddress } from "../all-invoices-search.view-model.ts";
import { BillingsScreen } from "../billings-screen.tsx";

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const OWNER = tenantId.parse("ten_0199f3b0c1d27a4e8f60112233445577");
const INVOICE = "inv_0199f3b0c1d27a4e8f60112233445566";

function open(address: string, answers: FakeAnswers) {
  return openScreen<BillingsAddress>({
    address,
    parseSearch: parseBillingsAddress,
    screen: (search, onSearchChange) => (
      <BillingsScreen search={search} onSearchChange={onSearchChange} />
    ),
    isOperator: true,
    answers,
  });
}

const none = { change: "0.00", customers: 0 };
const month = (of: string, more: object = {}) => ({
  month: of,
  isOver: true,
  opening: "80.00",
  openingCustomers: 2,
  movements: { new: none, expansion: none, contraction: none, churned: none, reactivated: none },
  closing: "80.00",
  closingCustomers: 2,
  customerChurn: "0.00",
  revenueChurn: "0.00",
  netRetention: "100.00",
  grossRetention: "100.00",
  usage: "0.00",
  ...more,
});
const ages = [0, 31, 61, 91].map((fromDays, index) => ({
  fromDays,
  toDays: [30, 60, 90, null][index],
  count: index === 1 ? 1 : 0,
  due: index === 1 ? "31.00" : "0.00",
}));
const ofCurrency = (currency: string, more: object = {}) => ({
  currency,
  mrr: "111.00",
  customers: 3,
  months: [
    month("2026-10", { netRetention: "112.50", usage: "7.25" }),
    month("2026-11", {
      isOver: false,
      closing: "111.00",
      movements: {
        new: { change: "31.00", customers: 1 },
        expansion: none,
        contraction: none,
        churned: none,
        reactivated: none,
      },
    }),
  ],
  overdue: { count: 1, due: "31.00", ages },
  ...more,
});
const REPORT = () =>
  revenueReport.parse({
    asOf: "2026-11-26T12:00:00.000Z",
    currencies: [ofCurrency("EUR"), ofCurrency("USD", { mrr: "9.00" })],
  });

it("shows each currency for itself, and opens a figure to its customers with its definition", async () => {
  const asked: string[] = [];
  const { readSearch } = open("/billings?view=all&report=revenue", {
    "GET /revenue": REPORT,
    "GET /revenue/customers": (request) => {
      asked.push(new URL(request.url).search);
      const row = {
        tenantId: OWNER,
        tenantName: "Birch",
        planId: "pro",
        before: "0.00",
        after: "31.00",
        change: "31.00",
        kind: "new",
      };
      return { items: [revenueCustomer.parse(row)], nextCursor: null };
    },
  });
  const mrr = within(await screen.findByRole("region", { name: "MRR" }));
  mrr.getByText("€111.00");
  within(screen.getByRole("region", { name: "Net revenue retention" })).getByText("112.5%");
  await userEvent.click(screen.getByRole("button", { name: "New, November 2026: +€31.00" }));
  const sheet = await screen.findByRole("dialog", { name: "New, November 2026" });
  await within(sheet).findByText("Birch", { exact: false });
  within(sheet).getByText("What customers bring who never brought any before.");
  expect(asked).toEqual(["?month=2026-11&currency=EUR&rows=new&limit=25"]);
  expect(readSearch()).toMatchObject({ month: "2026-11", rows: "new", currency: "EUR" });
  await userEvent.click(within(sheet).getByRole("button", { name: "Close" }));
  await userEvent.click(await screen.findByRole("radio", { name: "USD" }));
  within(await screen.findByRole("region", { name: "MRR" })).getByText("$9.00");
});

it("leads from an age of overdue invoices to what follows them", async () => {
  const { readSearch } = open("/billings?view=all&report=revenue", {
    "GET /revenue": REPORT,
    "GET /invoices/overdue": () => ({
      items: [
        overdueInvoice.parse({
          invoiceId: INVOICE,
          tenantId: OWNER,
          tenantName: "Birch",
          number: "INV-2026-000007",
          issuedAt: "2026-10-01T00:00:00.000Z",
          dueAt: "2026-10-15T00:00:00.000Z",
          currency: "EUR",
          total: "31.00",
          due: "31.00",
          daysOverdue: 42,
          standing: "grace",
          next: { kind: "invoice.blocked", at: "2026-11-28T00:01:00.000Z" },
          blockedAt: "2026-11-28T00:01:00.000Z",
        }),
      ],
      nextCursor: null,
    }),
  });
  await userEvent.click(
    await screen.findByRole("button", { name: "Invoices overdue for 31–60 days: €31.00" }),
  );
  const row = (await screen.findByText("INV-2026-000007")).closest("tr") as HTMLElement;
  for (const text of ["Birch", "Last notice", "42 days", "Calls are denied, Nov 28, 2026"]) {
    within(row).getByText(text);
  }
  expect(readSearch()).toEqual({ view: "all", report: "dunning", currency: "EUR", age: 31 });
  await userEvent.click(row);
  await waitFor(() => expect(readSearch()).toMatchObject({ invoice: INVOICE, owner: OWNER }));
});

it("reports taxes of a period by country and rule, with the documents behind a row", async () => {
  const asked: string[] = [];
  open("/billings?view=all&report=tax&period=2026-Q4", {
    "GET /tax-report": () =>
      taxReport.parse({
        period: "2026-Q4",
        from: "2026-10-01T00:00:00.000Z",
        to: "2027-01-01T00:00:00.000Z",
        isOver: false,
        firstIssuedAt: "2026-10-03T00:00:00.000Z",
        totals: [
          { currency: "EUR", invoices: 2, creditNotes: 1, voided: 0, net: "90.00", tax: "18.00" },
        ],
        cells: [
          {
            currency: "EUR",
            sellerCountry: "DE",
            country: "FR",
            category: "S",
            rate: "20",
            name: null,
            scheme: "oss",
            documents: 3,
            net: "90.00",
            tax: "18.00",
          },
        ],
        ecSales: [
          { currency: "EUR", country: "FR", taxId: "FR40303265045", name: "Birch SA", net: "5.00" },
        ],
      }),
    "GET /tax-report/documents": (request) => {
      asked.push(new URL(request.url).search);
      const document = {
        kind: "credit_note",
        documentId: "cn_1",
        invoiceId: INVOICE,
        number: "CN-2026-000001",
        at: "2026-11-03T00:00:00.000Z",
        tenantId: OWNER,
        customerName: "Birch SA",
        taxId: null,
        net: "-10.00",
        tax: "-2.00",
      };
      return { items: [taxDocument.parse(document)], nextCursor: null };
    },
  });
  await screen.findByText("EUR: €90.00 net, €18.00 tax");
  await screen.findByText("FR40303265045");
  await userEvent.click(screen.getByText("One Stop Shop (OSS)"));
  const sheet = await screen.findByRole("dialog", { name: "France, One Stop Shop (OSS)" });
  await within(sheet).findByText("CN-2026-000001");
  within(sheet).getByText("-€10.00");
  expect(asked).toEqual([
    "?period=2026-Q4&currency=EUR&country=FR&category=S&rate=20&seller=DE&limit=25",
  ]);
});

it("says what is missing for a right invoice, and where it is set", async () => {
  open("/billings?view=all&report=setup", {
    "GET /billing/setup": () =>
      billingSetup.parse({
        seller: { name: "Example", lines: [], country: null, taxId: null, email: null },
        tax: null,
        paymentDays: 14,
        dunning: { reminderDays: [2, 7], graceDays: 7 },
        proration: "time",
        invoicePrefix: "INV",
        creditNotePrefix: "CN",
        sendsMail: false,
        checks: [
          {
            check: "sellerAddress",
            state: "missing",
            text: "Invoices need your postal address.",
            setting: "billing.seller.address",
          },
        ],
      }),
  });
  await screen.findByText("1 missing.", { exact: false });
  await screen.findByText("billing.seller.address");
  screen.getByText("Nothing is taxed.");
  screen.getByText("By time");
});

it("is honest where there is no revenue", async () => {
  open("/billings?view=all&report=revenue", {
    "GET /revenue": () => ({ asOf: "2026-11-26T12:00:00.000Z", currencies: [] }),
  });
  await screen.findByText("No revenue yet");
});
