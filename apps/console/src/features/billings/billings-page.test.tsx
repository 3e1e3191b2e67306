// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { limits } from "@turnpike/contract/usage";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  INVOICE_ID,
  makeClock,
  makeInvoice,
  makeLine,
  makePart,
  makeSubscription,
  makeUpcoming,
  NOW,
  TENANT_ID,
} from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import { makeInsightList } from "#components/insights/insights.fixture.ts";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { BillingsPage } from "./billings-page.tsx";
import { parseBillingsSearch } from "./billings-search.view-model.ts";
import { makeCreditGrant, makeCredits } from "./credits/credits.fixture.ts";
import { makeDetails } from "./details/billing-details.fixture.ts";
import { makeAttempt, makeCollection, makeMethod, makeSetup } from "./payments/payments.fixture.ts";
import { makeSpendCap } from "./spend-cap/spend-cap.fixture.ts";

const OF_TENANT = `/tenants/${TENANT_ID}`;
const NOTHING = { items: [], nextCursor: null };
const USAGE = makeLine({
  number: 2,
  kind: "usage",
  description: "Requests",
  card: "requests",
  meterId: "requests",
  unit: "request",
  quantity: "1500",
  amount: "1.00",
  tiers: [
    { upTo: "1000", quantity: "1000", amount: "0" },
    { upTo: null, quantity: "500", amount: "1" },
  ],
  hasUsage: true,
});
const BEYOND = makeLine({
  number: 3,
  kind: "beyondCap",
  description: "Requests beyond the limit",
  quantity: "7",
  unit: "request",
  amount: "0.00",
  reason: "Beyond the hard limit of your plan.",
});

const ANSWERS: FakeAnswers = {
  "GET /plans": () => ({ items: [] }),
  "GET /meters": () => ({ items: [] }),
  [`GET ${OF_TENANT}/limits`]: () =>
    limits.parse({
      planId: "pro",
      planVersion: 1,
      plan: { name: "Pro", currency: "USD", pricePerMonth: "49" },
      rateLimits: [],
      quotas: [],
      concurrency: null,
      balances: [],
    }),
  [`GET ${OF_TENANT}/subscription`]: () => makeSubscription(),
  [`GET ${OF_TENANT}/invoices/upcoming`]: () =>
    makeUpcoming({
      lines: [makeLine(), USAGE, BEYOND],
      net: "50.00",
      total: "50.00",
      due: "50.00",
    }),
  [`GET ${OF_TENANT}/invoices`]: () => NOTHING,
  [`GET ${OF_TENANT}/billing/events`]: () => NOTHING,
  [`GET ${OF_TENANT}/members`]: () => NOTHING,
  [`GET ${OF_TENANT}/billing/credits`]: () => makeCredits(),
  [`GET ${OF_TENANT}/billing/details`]: () => makeDetails(),
  [`GET ${OF_TENANT}/billing/spend-cap`]: () => makeSpendCap(),
  [`GET ${OF_TENANT}/insights`]: () => makeInsightList(),
  [`GET ${OF_TENANT}/payment-method`]: () => makeSetup({ canSetUp: false }),
  [`GET ${OF_TENANT}/invoices/${INVOICE_ID}/collection`]: () => makeCollection({ due: "0.00" }),
};

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

function openBillings(address: string, answers: FakeAnswers = {}, role?: "viewer") {
  return openScreen({
    address,
    parseSearch: parseBillingsSearch,
    screen: (search, onSearchChange) => (
      <BillingsPage search={search} onSearchChange={onSearchChange} />
    ),
    answers: { ...ANSWERS, ...answers },
    ...(role === undefined ? {} : { role }),
  });
}

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

/** The head of an invoice, as the list has it. */
function toSummary(invoice: ReturnType<typeof makeInvoice>) {
  const { lines: _, taxes: __, fromBalance: ___, prepaid: ____, ...head } = invoice;
  const {
    seller: _s,
    customer: _c,
    cutOffAt: _a,
    toBalance: _b,
    accountingTax: _t,
    creditNotes: _n,
    payments: _p,
    ...summary
  } = head;
  return summary;
}

describe("credits", () => {
  const topUps = { isTaxed: false, amounts: ["50.00", "100.00"], min: "10.00", max: "500.00" };
  const OF_CREDITS = `GET ${OF_TENANT}/billing/credits`;

  it("shows what is left in the order of use, what expires next, and every entry", async () => {
    openBillings("/billings", {
      [OF_CREDITS]: () =>
        makeCredits({
          promotional: "10.00",
          nextExpiry: { at: "2026-12-01T00:00:00.000Z", amount: "10.00" },
          grants: [makeCreditGrant({ expiresAt: "2026-12-01T00:00:00.000Z" })],
        }),
      [`${OF_CREDITS}/entries`]: () => ({
        items: [
          {
            ...{ entryId: "2", grantId: "cgr_1", grantKind: "promotional", kind: "burned" },
            ...{ amount: "-15.00", at: NOW, invoiceId: INVOICE_ID, reason: "Welcome." },
            ...{ invoiceNumber: "INV-2026-000001", actor: "system:billing" },
          },
        ],
        nextCursor: null,
      }),
    });
    const card = within(await screen.findByRole("region", { name: "Credits" }));
    card.getByText("$10.00 expires on Dec 1, 2026.");
    card.getByText("Welcome.");
    card.getByText("of $25.00");
    expect(card.queryByRole("button", { name: "Buy credit…" })).toBeNull();
    await userEvent.click(card.getByRole("button", { name: "Show the history" }));
    const sheet = within(await screen.findByRole("dialog", { name: "History of credits" }));
    await sheet.findByText("Used by INV-2026-000001");
    sheet.getByText("-$15.00");
  });

  it("are bought with an invoice, which is shown, and by themselves within a limit", async () => {
    const sent: unknown[] = [];
    const { readSearch } = openBillings("/billings", {
      [OF_CREDITS]: () => makeCredits({ topUps }),
      [`POST ${OF_TENANT}/billing/top-ups`]: async (request) => {
        sent.push(await request.json());
        return makeInvoice();
      },
      [`PUT ${OF_TENANT}/billing/automatic-top-up`]: async (request) => {
        sent.push(await request.json());
        return makeCredits({ topUps });
      },
      [`GET ${OF_TENANT}/invoices/${INVOICE_ID}`]: () => makeInvoice(),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Automatic top-up…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Automatic top-up" }));
    await userEvent.type(dialog.getByLabelText("When less is left than, in USD"), "20");
    await userEvent.type(dialog.getByLabelText("At most in a month, in USD"), "150");
    await userEvent.click(dialog.getByRole("button", { name: "Turn on" }));
    await screen.findByText("Credit is bought by itself from now on.");
    await userEvent.click(await screen.findByRole("button", { name: "Buy credit…" }));
    await userEvent.click(await screen.findByRole("radio", { name: "$100.00" }));
    await userEvent.click(screen.getByRole("button", { name: "Issue invoice of $100.00" }));
    await waitFor(() => expect(readSearch()).toEqual({ invoice: INVOICE_ID }));
    expect(sent).toEqual([
      { environment: "live", threshold: "20", amount: "50.00", monthLimit: "150" },
      { environment: "live", amount: "100.00" },
    ]);
  });

  it("notify at the shares and the sum that are set, on a prepaid plan", async () => {
    const sent: unknown[] = [];
    const draw = { drawn: "5.00", left: "15.00", isEmpty: false, meters: [] };
    openBillings("/billings", {
      [OF_CREDITS]: () => makeCredits({ draw }),
      [`PUT ${OF_CREDITS.replace("GET ", "")}/alerts`]: async (request) => {
        sent.push(await request.json());
        return makeCredits({ draw });
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Change notices…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Notices of credit" }));
    const shares = dialog.getByLabelText("When this much is left, in per cent");
    await userEvent.clear(shares);
    await userEvent.type(shares, "30, many");
    dialog.getByText("Whole numbers from 0 to 99, such as 50, 20, 0.");
    expect(dialog.getByRole("button", { name: "Save" })).toHaveProperty("disabled", true);
    await userEvent.clear(shares);
    await userEvent.type(shares, "30, 0");
    await userEvent.type(dialog.getByLabelText(/When less than this is left, in USD/), "7.50");
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    await screen.findByText("The notices of credit were saved.");
    expect(sent).toEqual([{ shares: [0, 30], below: "7.50" }]);
  });

  it("are not bought by who may not", async () => {
    openBillings("/billings", { [OF_CREDITS]: () => makeCredits({ topUps }) }, "viewer");
    const card = within(await screen.findByRole("region", { name: "Credits" }));
    card.getByText(/cannot buy credit/);
    expect(card.queryByRole("button", { name: "Buy credit…" })).toBeNull();
  });
});

describe("billing details", () => {
  it("are empty until they are given, and keep what is typed when the tax id is refused", async () => {
    const sent: unknown[] = [];
    let given = makeDetails();
    openBillings("/billings", {
      [`GET ${OF_TENANT}/billing/details`]: () => given,
      [`PUT ${OF_TENANT}/billing/details`]: async (request) => {
        const input = await request.json();
        sent.push(input);
        if (sent.length === 1) {
          return problem(400, "INVALID_REQUEST", "The request is invalid.", {
            errors: [{ pointer: "/taxId", message: "Its check digits are wrong." }],
          });
        }
        given = makeDetails({ ...input, taxIdStatus: "pending", updatedAt: NOW });
        return given;
      },
    });
    const card = within(await screen.findByRole("region", { name: "Billing details" }));
    await card.findByText(/without an address\./);
    await userEvent.click(card.getByRole("button", { name: "Add billing details…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Billing details" }));
    await userEvent.type(dialog.getByLabelText("Company"), "Exemple SARL");
    await userEvent.type(dialog.getByLabelText("Address"), "1 rue Haute\n\nBâtiment B");
    await userEvent.type(dialog.getByLabelText("Postal code"), "75001");
    await userEvent.type(dialog.getByLabelText("City"), "Paris");
    await userEvent.type(dialog.getByLabelText("Tax id"), "FR41303265045");
    await userEvent.click(dialog.getByRole("combobox", { name: "Country" }));
    await userEvent.type(await screen.findByLabelText("Search countries"), "Fran");
    await userEvent.click(await screen.findByRole("option", { name: "France" }));
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    await dialog.findAllByText("Its check digits are wrong.");
    const taxId = dialog.getByLabelText("Tax id");
    await userEvent.clear(taxId);
    await userEvent.type(taxId, "FR40303265045");
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    await card.findByText("Being checked");
    card.getByText(/Exemple SARL\s1 rue Haute\sBâtiment B\s75001 Paris\sFrance/);
    expect(sent[1]).toEqual({
      companyName: "Exemple SARL",
      addressLines: ["1 rue Haute", "Bâtiment B"],
      postalCode: "75001",
      city: "Paris",
      region: null,
      country: "FR",
      email: null,
      taxId: "FR40303265045",
      language: null,
    });
  });

  it("are read by everyone, and changed by those who pay", async () => {
    openBillings(
      "/billings",
      {
        [`GET ${OF_TENANT}/billing/details`]: () =>
          makeDetails({ companyName: "Birch Ltd", taxId: "GB123", taxIdStatus: "invalid" }),
      },
      "viewer",
    );
    const card = within(await screen.findByRole("region", { name: "Billing details" }));
    await card.findByText("Birch Ltd");
    card.getByText("Refused");
    card.getByText(/cannot change the billing details: ask an owner/);
    expect(card.queryByRole("button")).toBeNull();
  });
});

describe("paying", () => {
  const due = makeInvoice({ due: "49.00", state: "open" });
  const address = `/billings?invoice=${INVOICE_ID}`;
  const invoiceAnswers: FakeAnswers = {
    [`GET ${OF_TENANT}/invoices/${INVOICE_ID}`]: () => due,
  };
  const calendar = {
    begins: "failed_payment" as const,
    since: "2026-07-01T12:00:00.000Z",
    nextAttempts: ["2026-07-03T12:00:00.000Z"],
    nextReminders: [],
    isStopped: false,
    graceFrom: "2026-07-22T12:00:00.000Z",
    blockedFrom: "2026-07-29T12:00:00.000Z",
    standing: "overdue" as const,
    texts: ["Paying ends this at once."],
  };

  it("charges the method once from a double click, and says why it was refused", async () => {
    let asked = 0;
    const bothClicks = Promise.withResolvers<void>();
    openBillings(address, {
      ...invoiceAnswers,
      [`GET ${OF_TENANT}/payment-method`]: () => makeSetup({ method: makeMethod() }),
      [`GET ${OF_TENANT}/invoices/${INVOICE_ID}/collection`]: () =>
        makeCollection({
          isAutomatic: true,
          attempts: [makeAttempt({ state: "failed", message: "Card declined." })],
          calendar,
        }),
      [`POST ${OF_TENANT}/invoices/${INVOICE_ID}/pay`]: async () => {
        asked += 1;
        await bothClicks.promise;
        return {
          attempt: makeAttempt({ state: "failed", message: "Insufficient funds." }),
          url: null,
          transfer: null,
        };
      },
    });
    await userEvent.dblClick(await screen.findByRole("button", { name: "Pay $49.00 now" }));
    bothClicks.resolve();
    await screen.findByText("Insufficient funds.");
    expect(asked).toBe(1);
    screen.getByText("$49.00 failed on Jul 1, 2026: Card declined.");
    screen.getByText("Jul 3, 2026: the payment is tried again.");
    screen.getByText("Jul 29, 2026: calls stop.");
  });

  it("by transfer shows the account and the reference of the invoice, to copy", async () => {
    const bank = {
      holder: "Example GmbH",
      iban: "DE89 3704 0044 0532 0130 00",
      bic: null,
      bank: null,
      lines: [],
    };
    openBillings(address, {
      ...invoiceAnswers,
      [`GET ${OF_TENANT}/payment-method`]: () => makeSetup({ canSetUp: false, bank }),
      [`GET ${OF_TENANT}/invoices/${INVOICE_ID}/collection`]: () => makeCollection({ bank }),
    });
    await screen.findByText("RF18539007547034");
    screen.getByRole("button", { name: "Copy the IBAN" });
    expect(screen.queryByRole("button", { name: /^Pay/ })).toBeNull();
  });

  it("is not offered without the right to, and a method is removed after a question", async () => {
    openBillings(
      address,
      {
        ...invoiceAnswers,
        [`GET ${OF_TENANT}/payment-method`]: () => makeSetup({ method: makeMethod() }),
        [`GET ${OF_TENANT}/invoices/${INVOICE_ID}/collection`]: () => makeCollection(),
      },
      "viewer",
    );
    await screen.findByText(/Your role, viewer, cannot pay invoices/);
    cleanup();
    let isRemoved = false;
    openBillings("/billings", {
      [`GET ${OF_TENANT}/payment-method`]: () =>
        makeSetup({ method: isRemoved ? null : makeMethod() }),
      [`POST ${OF_TENANT}/payment-method/removal`]: () => {
        isRemoved = true;
        return makeSetup();
      },
    });
    await screen.findByText("Visa ending in 4242");
    await userEvent.click(screen.getByRole("button", { name: "Remove…" }));
    await userEvent.click(await screen.findByRole("button", { name: "Remove method" }));
    await screen.findByText("None yet. With one, each invoice is paid when it is issued.");
  });
});
