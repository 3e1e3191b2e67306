// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { creditNote } from "@turnpike/contract/invoices";
import { tenantId } from "@turnpike/contract/shapes";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  INVOICE_ID,
  makeInvoice,
  makeInvoiceSummary,
  makeLine,
  makeSubscription,
  TENANT_ID,
} from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import type { Invoice } from "#platform/billing-queries.ts";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { type BillingsAddress, parseBillingsAddress } from "./all-invoices-search.view-model.ts";
import { BillingsScreen } from "./billings-screen.tsx";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const OTHER = tenantId.parse("ten_0199f3b0c1d27a4e8f60112233445577");
const OPEN = `/billings?view=all&invoice=${INVOICE_ID}&owner=${OTHER}`;
const GET_INVOICE = `GET /tenants/${OTHER}/invoices/${INVOICE_ID}`;

const summary = (more: object = {}) =>
  makeInvoiceSummary({ tenantId: OTHER, tenantName: "Birch", ...more });
const listOf = (...items: object[]) => ({
  items,
  nextCursor: null,
  sums: [
    { currency: "USD", count: 1204, total: "58996.00", due: "49.00" },
    { currency: "EUR", count: 1, total: "12.00", due: "0.00" },
  ],
});

function open(
  address: string,
  answers: FakeAnswers = {},
  more: { isOperator?: boolean; role?: null } = {},
) {
  return openScreen<BillingsAddress>({
    address,
    parseSearch: parseBillingsAddress,
    screen: (search, onSearchChange) => (
      <BillingsScreen search={search} onSearchChange={onSearchChange} />
    ),
    isOperator: true,
    ...more,
    answers: {
      "GET /plans": () => ({ items: [] }),
      "GET /meters": () => ({ items: [] }),
      "GET /invoices": () => listOf(summary()),
      [`GET /tenants/${TENANT_ID}/subscription`]: () => makeSubscription(),
      ...answers,
    },
  });
}

describe("the invoices of all tenants", () => {
  it("are listed with their tenant, and summed for each currency alone", async () => {
    open("/billings?view=all");
    const row = (await screen.findByText("INV-2026-000001")).closest("tr") as HTMLElement;
    for (const text of ["Birch", "Overdue", "Nov 1, 2026", "Nov 15, 2026"]) {
      within(row).getByText(text);
    }
    const sums = within(screen.getByRole("list", { name: "Sums of what matches" }));
    for (const text of ["1,204 invoices", "$58,996.00", "$49.00", "1 invoice", "€12.00", "€0.00"]) {
      sums.getByText(text);
    }
  });

  it("are filtered in the address, from the first page on", async () => {
    const asked: URLSearchParams[] = [];
    const { readSearch } = open("/billings?view=all&cursor=9&status=overdue&to=2026-11-30", {
      "GET /invoices": (request) => {
        asked.push(new URL(request.url).searchParams);
        return { ...listOf(), sums: [] };
      },
    });
    await screen.findByText("No matching invoices");
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      environment: "live",
      limit: "25",
      isOverdue: "true",
      to: "2026-12-01T00:00:00.000Z",
      cursor: "9",
    });
    await userEvent.type(screen.getByLabelText("Search number or tenant"), "birch");
    await waitFor(() =>
      expect(readSearch()).toEqual({
        view: "all",
        status: "overdue",
        to: "2026-11-30",
        q: "birch",
      }),
    );
    await userEvent.click(screen.getByRole("button", { name: "Show all invoices" }));
    await waitFor(() => expect(readSearch()).toEqual({ view: "all" }));
  });

  it("open with their tenant, and lead back to the same page of the list", async () => {
    const { readSearch } = open("/billings?view=all&status=open", {
      [GET_INVOICE]: () => makeInvoice({ tenantId: OTHER, tenantName: "Birch" }),
    });
    await userEvent.click(await screen.findByText("INV-2026-000001"));
    await screen.findByRole("heading", { name: "Invoice INV-2026-000001" });
    expect(readSearch()).toEqual({
      view: "all",
      status: "open",
      invoice: INVOICE_ID,
      owner: OTHER,
    });
    await userEvent.click(screen.getByRole("button", { name: "Invoices of all tenants" }));
    await waitFor(() => expect(readSearch()).toEqual({ view: "all", status: "open" }));
  });

  it("say what failed, and load again", async () => {
    let isDown = true;
    open("/billings?view=all", {
      "GET /invoices": () =>
        isDown ? problem(503, "OVERLOADED", "Too much at once.") : listOf(summary()),
    });
    await screen.findByText("The invoices could not be loaded.");
    isDown = false;
    await userEvent.click(screen.getByRole("button", { name: /again/i }));
    await screen.findByText("INV-2026-000001");
  });

  it("are for operators, also for those without a tenant", async () => {
    open("/billings?view=all", {}, { role: null });
    await screen.findByText("INV-2026-000001");
    cleanup();
    open("/billings?view=all", {}, { isOperator: false, role: null });
    await screen.findByRole("heading", { name: "Billings" });
    expect(screen.queryByRole("radiogroup", { name: "Whose billing" })).toBeNull();
  });
});

describe("an invoice of any tenant", () => {
  const make = (more: Partial<Invoice> = {}) =>
    makeInvoice({
      tenantId: OTHER,
      tenantName: "Birch",
      lines: [makeLine(), makeLine({ number: 2, description: "Requests", amount: "18.00" })],
      ...more,
    });

  async function openInvoice(answers: FakeAnswers, more: Partial<Invoice> = {}) {
    open(OPEN, { [GET_INVOICE]: () => make(more), ...answers });
    await screen.findByRole("heading", { name: "Invoice INV-2026-000001" });
    await screen.findByText("Requests");
  }

  it("takes a payment once, and keeps what is typed when it is refused", async () => {
    const sent: unknown[] = [];
    await openInvoice({
      [`POST /invoices/${INVOICE_ID}/payments`]: async (request) => {
        sent.push(await request.json());
        return sent.length === 1
          ? problem(503, "OVERLOADED", "Too much at once.")
          : make({ state: "paid", paid: "49.00", due: "0.00" });
      },
    });
    await userEvent.click(screen.getByRole("button", { name: "Record payment" }));
    const dialog = await screen.findByRole("dialog", { name: /Record a payment/ });
    const reference = within(dialog).getByLabelText<HTMLInputElement>("Reference");
    fireEvent.change(reference, { target: { value: "SEPA 77" } });
    const send = within(dialog).getByRole("button", { name: "Record payment" });
    fireEvent.click(send);
    fireEvent.click(send);
    await within(dialog).findByText("Too much at once.");
    expect(reference.value).toBe("SEPA 77");
    await userEvent.click(within(dialog).getByRole("button", { name: "Record payment" }));
    await screen.findByText("INV-2026-000001 is paid.");
    expect(sent).toEqual([
      { amount: "49.00", reference: "SEPA 77" },
      { amount: "49.00", reference: "SEPA 77" },
    ]);
  });

  it("is credited by line, after a preview of what is left", async () => {
    const sent: unknown[] = [];
    await openInvoice({
      [`POST /invoices/${INVOICE_ID}/credit-notes`]: async (request) => {
        sent.push(await request.json());
        return creditNote.parse({
          creditNoteId: "cn_1",
          number: "CN-2026-000001",
          invoiceId: INVOICE_ID,
          invoiceNumber: "INV-2026-000001",
          issuedAt: "2026-11-26T12:00:00.000Z",
          currency: "USD",
          reason: "Outage",
          lines: [],
          net: "8.00",
          taxes: [],
          accountingTax: null,
          total: "8.00",
          toDue: "8.00",
          toBalance: "0.00",
        });
      },
    });
    await userEvent.click(screen.getByRole("button", { name: "Credit…" }));
    const dialog = await screen.findByRole("dialog", { name: "Credit INV-2026-000001" });
    await userEvent.click(within(dialog).getByRole("radio", { name: "By line" }));
    const line = within(dialog).getByLabelText("Credit of line 2");
    fireEvent.change(line, { target: { value: "18.01" } });
    within(dialog).getByText("At most 18 is left.");
    fireEvent.change(line, { target: { value: "8" } });
    within(dialog).getByText("$8.00");
    within(dialog).getByText("$59.00");
    const issue = within(dialog).getByRole<HTMLButtonElement>("button", {
      name: "Issue credit note",
    });
    expect(issue.disabled).toBe(true);
    fireEvent.change(within(dialog).getByLabelText("Reason"), { target: { value: "Outage" } });
    await userEvent.click(issue);
    await screen.findByText("Credit note CN-2026-000001 takes back $8.00.");
    expect(sent).toEqual([{ reason: "Outage", lines: [{ line: 2, amount: "8" }] }]);
  });

  it("is voided or written off with a reason, and not once something was paid", async () => {
    const sent: unknown[] = [];
    await openInvoice({
      [`POST /invoices/${INVOICE_ID}/void`]: async (request) => {
        sent.push(await request.json());
        return make({ state: "void", due: "0.00" });
      },
    });
    await userEvent.click(screen.getByRole("button", { name: "More actions" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Void…" }));
    const dialog = await screen.findByRole("dialog", { name: "Void INV-2026-000001" });
    fireEvent.change(within(dialog).getByLabelText("Reason"), { target: { value: "Twice." } });
    await userEvent.click(within(dialog).getByRole("button", { name: "Void invoice" }));
    await screen.findByText("INV-2026-000001 is void.");
    expect(sent).toEqual([{ reason: "Twice." }]);
    cleanup();
    await openInvoice({}, { paid: "10.00", due: "39.00" });
    await userEvent.click(screen.getByRole("button", { name: "More actions" }));
    await screen.findByRole("menuitem", { name: "Write off…" });
    expect(screen.queryByRole("menuitem", { name: "Void…" })).toBeNull();
  });
});
