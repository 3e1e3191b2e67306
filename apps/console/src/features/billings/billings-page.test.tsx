// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import {
  INVOICE_ID,
  makeClock,
  makeInvoice,
  makeLine,
  makePart,
  makeSubscription,
  makeUpcoming,
  NOW,
} from "#components/billing/billing-answers.fixture.ts";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { OF_TENANT, openBillings, stageBillings, toSummary } from "./billings-page.fixture.tsx";

stageBillings();

describe("the running invoice", () => {
  it("shows lines with their tiers, what is not charged and why, and the sum so far", async () => {
    openBillings("/billings");
    const table = within(
      await screen.findByRole("table", { name: "Lines of the running invoice" }),
    );
    table.getByText("First 1,000");
    table.getByText("500 requests · $1.00");
    table.getByText("Not charged. Beyond the hard limit of your plan.");
    expect(screen.getAllByText("$50.00")).not.toHaveLength(0);
    screen.getByText("Due so far");
    await screen.findByText("Pro renews for another month.");
  });

  it("moves while calls come in", async () => {
    let asked = 0;
    vi.useFakeTimers({
      shouldAdvanceTime: true,
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    });
    openBillings("/billings", {
      [`GET ${OF_TENANT}/invoices/upcoming`]: () => {
        asked += 1;
        return makeUpcoming({ due: asked === 1 ? "50.00" : "50.01" });
      },
    });
    await screen.findAllByText("$50.00");
    await vi.advanceTimersByTimeAsync(60_000);
    await screen.findAllByText("$50.01");
    vi.useRealTimers();
  });

  it("leads to the plans when there is nothing to invoice", async () => {
    openBillings("/billings", {
      [`GET ${OF_TENANT}/invoices/upcoming`]: () =>
        makeUpcoming({ lines: [], net: "0.00", total: "0.00", due: "0.00", issuesAt: null }),
    });
    await screen.findByText("Nothing to invoice");
    expect(screen.getByRole("link", { name: "Compare plans" }).getAttribute("href")).toBe("/plans");
  });

  it("says when a plan ends of which nothing more is due", async () => {
    const endsAt = "2026-12-30T00:00:00.000Z";
    openBillings("/billings", {
      [`GET ${OF_TENANT}/invoices/upcoming`]: () =>
        makeUpcoming({ lines: [], net: "0.00", total: "0.00", due: "0.00", issuesAt: null }),
      [`GET ${OF_TENANT}/subscription`]: () =>
        makeSubscription({ pending: { change: null, endsAt, pausesAt: null } }),
    });
    await screen.findByText(
      "Nothing more is due for Pro so far. Ends on Dec 30, 2026 and does not renew.",
    );
    expect(screen.getByRole("link", { name: "Open plans" }).getAttribute("href")).toBe("/plans");
  });

  it("says that it could not be loaded, while the rest stays", async () => {
    openBillings("/billings", {
      [`GET ${OF_TENANT}/invoices/upcoming`]: () => problem(503, "UNAVAILABLE", "Try again later."),
    });
    const notice = await screen.findByRole("alert");
    within(notice).getByText("The running invoice could not be loaded.");
    within(notice).getByText("Try again later.");
    await screen.findByText("Pro renews for another month.");
  });
});

describe("a usage line", () => {
  it("opens to days whose sum is the line, then to the keys of a day and the routes of a key", async () => {
    const asked: Record<string, string>[] = [];
    const key = "key_0199f3b0c1d27a4e8f60112233445566";
    const parts: Record<string, object> = {
      day: [
        makePart({ day: "2026-11-25", quantity: "500", amount: "0.33" }),
        makePart({ day: "2026-11-26", quantity: "1000", amount: "0.67" }),
      ],
      key: [
        makePart({
          day: "2026-11-26",
          keyId: key,
          keyName: "Web",
          quantity: "1000",
          amount: "0.67",
        }),
      ],
      route: [
        makePart({
          keyId: key,
          keyName: "Web",
          route: "GET /orders",
          quantity: "1000",
          amount: "0.67",
        }),
      ],
    };
    const { readSearch } = openBillings("/billings", {
      [`GET ${OF_TENANT}/invoices/upcoming/lines/2/usage`]: (request) => {
        const { searchParams } = new URL(request.url);
        asked.push(Object.fromEntries(searchParams));
        return { items: parts[searchParams.get("by") ?? "day"], nextCursor: null };
      },
    });
    await userEvent.click(
      await screen.findByRole("button", { name: "Requests by day, key and route" }),
    );
    const sheet = within(await screen.findByRole("dialog", { name: "Requests" }));
    const sum = await sheet.findByRole("row", { name: /^Sum, equal to the line/ });
    within(sum).getByText("1,500");
    within(sum).getByText("$1.00");
    await userEvent.click(sheet.getByRole("button", { name: "Nov 26, 2026" }));
    await userEvent.click(await sheet.findByRole("button", { name: "Web" }));
    await sheet.findByText("GET /orders");
    expect(asked.at(-1)).toEqual({
      ...{ environment: "live", by: "route", key, day: "2026-11-26", limit: "50" },
    });
    expect(readSearch()).toEqual({ line: 2, by: "route", key, day: "2026-11-26" });
    await userEvent.click(sheet.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(readSearch()).toEqual({}));
  });

  it("sums what is shown while more parts follow", async () => {
    openBillings("/billings?line=2", {
      [`GET ${OF_TENANT}/invoices/upcoming/lines/2/usage`]: (request) =>
        new URL(request.url).searchParams.get("cursor") === null
          ? {
              items: [makePart({ day: "2026-11-25", quantity: "500", amount: "0.33" })],
              nextCursor: "next",
            }
          : {
              items: [makePart({ day: "2026-11-26", quantity: "1000", amount: "0.67" })],
              nextCursor: null,
            },
    });
    await screen.findByRole("row", { name: /^Sum of these 500/ });
    await userEvent.click(screen.getByRole("button", { name: "Show more" }));
    await screen.findByRole("row", { name: /^Sum, equal to the line 1,500 \$1\.00/ });
  });
});

describe("an invoice", () => {
  const paid = makeInvoice({
    state: "paid",
    lines: [makeLine()],
    paid: "40.00",
    credited: "9.00",
    due: "0.00",
    payments: [
      {
        paymentId: "pay_1",
        amount: "40.00",
        paidAt: NOW,
        reference: "wire 17",
        recordedBy: "operator",
      },
    ],
    creditNotes: [
      {
        creditNoteId: "crn_1",
        number: "CN-2026-000001",
        invoiceId: INVOICE_ID,
        invoiceNumber: "INV-2026-000001",
        issuedAt: NOW,
        currency: "USD",
        reason: "Outage on the 5th",
        lines: [{ invoiceLine: 1, description: "Pro", amount: "9.00" }],
        net: "9.00",
        taxes: [],
        accountingTax: null,
        total: "9.00",
        toDue: "9.00",
        toBalance: "0.00",
      },
    ],
    seller: {
      name: "Acme APIs GmbH",
      lines: ["Weg 1", "12345 Berlin"],
      country: "DE",
      taxId: "DE123456789",
      email: null,
    },
  });

  it("is opened from the list, with its parties, sums, credit notes and payments", async () => {
    const { readSearch } = openBillings("/billings", {
      [`GET ${OF_TENANT}/invoices`]: () => ({
        items: [toSummary(paid)],
        nextCursor: null,
      }),
      [`GET ${OF_TENANT}/invoices/${INVOICE_ID}`]: () => paid,
    });
    await userEvent.click(await screen.findByText("INV-2026-000001"));
    const heading = await screen.findByRole("heading", { name: "Invoice INV-2026-000001" });
    expect(readSearch()).toEqual({ invoice: INVOICE_ID });
    expect(document.activeElement).toBe(heading);
    screen.getByText("Acme APIs GmbH");
    screen.getByText("Tax id DE123456789");
    screen.getByText("Outage on the 5th");
    screen.getByText("Reference wire 17");
    screen.getByText("-$40.00");
    expect(screen.getByRole("link", { name: "All invoices" }).getAttribute("href")).toBe(
      "/billings",
    );
  });

  it("is downloaded with the token of the person, as PDF, and so are its credit notes", async () => {
    const asked: (string | null)[][] = [];
    const saved = vi.fn(() => "blob:file");
    vi.stubGlobal(
      "URL",
      class extends URL {
        static override createObjectURL = saved;
        static override revokeObjectURL = () => undefined;
      },
    );
    openBillings(`/billings?invoice=${INVOICE_ID}`, {
      [`GET ${OF_TENANT}/invoices/${INVOICE_ID}`]: () => paid,
      [`GET ${OF_TENANT}/invoices/${INVOICE_ID}/pdf`]: (request) => {
        const note = new URL(request.url).searchParams.get("creditNote");
        asked.push([request.headers.get("authorization"), note]);
        return new Response("%PDF-1.7", { headers: { "content-type": "application/pdf" } });
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Download invoice as PDF" }));
    await waitFor(() => expect(saved).toHaveBeenCalledOnce());
    const [note = expect.fail("no note")] = paid.creditNotes;
    await userEvent.click(screen.getByRole("button", { name: `Download ${note.number} as PDF` }));
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(2));
    expect(asked).toEqual([
      ["Bearer token-of-ada", null],
      ["Bearer token-of-ada", note.creditNoteId],
    ]);
  });

  it("says why its CSV could not be downloaded", async () => {
    openBillings(`/billings?invoice=${INVOICE_ID}`, {
      [`GET ${OF_TENANT}/invoices/${INVOICE_ID}`]: () => paid,
      [`GET ${OF_TENANT}/invoices/${INVOICE_ID}/csv`]: () =>
        problem(503, "UNAVAILABLE", "The file cannot be made right now."),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Download lines as CSV" }));
    await screen.findByText("The file cannot be made right now.");
  });

  it("is overdue in the list from its due date on, by the clock of the environment", async () => {
    openBillings("/billings", {
      [`GET ${OF_TENANT}/invoices`]: () => ({
        items: [toSummary(makeInvoice({ dueAt: NOW }))],
        nextCursor: null,
      }),
    });
    await screen.findByText("Overdue");
  });
});

describe("the sandbox", () => {
  const IN_SANDBOX: FakeAnswers = {
    [`GET ${OF_TENANT}/subscription`]: () => makeSubscription({ environment: "test" }),
    [`GET ${OF_TENANT}/sandbox/clock`]: () => makeClock(),
  };

  it("lets time pass to the end of the period, and shows what happened on the way", async () => {
    let to: unknown;
    openBillings("/billings?environment=test", {
      ...IN_SANDBOX,
      [`POST ${OF_TENANT}/sandbox/clock`]: async (request) => {
        to = ((await request.json()) as { to: string }).to;
        return makeClock({
          now: "2026-12-01T00:00:00.000Z",
          events: [
            {
              sequence: 4,
              at: "2026-12-01T00:00:00.000Z",
              recordedAt: NOW,
              kind: "renewed",
              text: "Pro renewed and T-2026-000001 was issued.",
              actor: "clock",
            },
          ],
        });
      },
    });
    await screen.findByText(/^Sandbox time: Nov 26, 2026/);
    await userEvent.click(screen.getByRole("button", { name: "Let time pass" }));
    await userEvent.click(
      await screen.findByRole("menuitem", { name: "To the end of the period, Dec 1, 2026" }),
    );
    await screen.findByText("Pro renewed and T-2026-000001 was issued.");
    expect(to).toBe("2026-12-01T00:00:00.000Z");
  });

  it("tells people who cannot let time pass who can", async () => {
    openBillings("/billings?environment=test", IN_SANDBOX, "viewer");
    await screen.findByText(/Your role, viewer, cannot let time pass/);
    expect(screen.queryByRole("button", { name: "Let time pass" })).toBe(null);
  });
});
