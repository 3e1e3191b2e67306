// @vitest-environment jsdom
import { onlineManager } from "@tanstack/react-query";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { statementLine, statementPreview } from "@turnpike/contract/bank-statements";
import { failedPaymentEvent } from "@turnpike/contract/payment-events";
import { invoiceCollection } from "@turnpike/contract/payments";
import { receivedPayment, refundPreview } from "@turnpike/contract/refunds";
import { tenantId } from "@turnpike/contract/shapes";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  INVOICE_ID,
  makeInvoice,
  makeSubscription,
  TENANT_ID,
} from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { type BillingsAddress, parseBillingsAddress } from "../all-invoices-search.view-model.ts";
import { BillingsScreen } from "../billings-screen.tsx";

afterEach(() => {
  onlineManager.setOnline(true);
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const OTHER = tenantId.parse("ten_0199f3b0c1d27a4e8f60112233445577");
const PAYMENT_ID = `pay_${"1".repeat(32)}`;
const LINE_ID = `bsl_${"1".repeat(32)}`;

const LINE = statementLine.parse({
  lineId: LINE_ID,
  statement: "november.csv",
  bookedOn: "2026-11-26",
  amount: "300.00",
  currency: "USD",
  payer: "Birch Ltd",
  payerAccount: "",
  purpose: "RF18 5390",
  bankReference: "",
  state: "open",
  paymentId: null,
  note: null,
  proposals: [
    {
      invoiceId: INVOICE_ID,
      number: "INV-2026-000001",
      tenantId: OTHER,
      tenantName: "Birch",
      due: "300.00",
      currency: "USD",
      basis: "reference",
      isCertain: true,
    },
  ],
});

const PAYMENT = receivedPayment.parse({
  paymentId: PAYMENT_ID,
  tenantId: OTHER,
  tenantName: "Birch",
  environment: "live",
  provider: "manual",
  reference: "wire",
  amount: "350.00",
  currency: "USD",
  receivedAt: "2026-11-26T00:00:00.000Z",
  recordedBy: "operator:1",
  invoices: [{ invoiceId: INVOICE_ID, number: "INV-2026-000001", amount: "300.00" }],
  toBalance: "50.00",
  refunded: "0.00",
  left: "350.00",
  refunds: [],
});

const pageOf = (...items: object[]) => ({ items, nextCursor: null });

function open(answers: FakeAnswers = {}, address = "/billings?view=all&report=payments") {
  return openScreen<BillingsAddress>({
    address,
    parseSearch: parseBillingsAddress,
    screen: (search, onSearchChange) => (
      <BillingsScreen search={search} onSearchChange={onSearchChange} />
    ),
    isOperator: true,
    answers: {
      "GET /plans": () => pageOf(),
      "GET /meters": () => pageOf(),
      "GET /statement-lines": () => pageOf(LINE),
      "GET /payments": () => pageOf(PAYMENT),
      "GET /payment-events/failed": () => pageOf(),
      [`GET /tenants/${TENANT_ID}/subscription`]: () => makeSubscription(),
      ...answers,
    },
  });
}

describe("what the provider reported and could not be applied", () => {
  it("is listed with the reason, and tried again", async () => {
    const failure = "This customer is billed in EUR, and the payment is in USD.";
    const event = failedPaymentEvent.parse({
      ...{ eventId: "evt_1", provider: "stripe", environment: "live", objectRef: "pi_1" },
      ...{ type: "payment_intent.succeeded", receivedAt: "2026-11-26T00:00:00.000Z", failure },
      ...{ tries: 40, isGivenUp: true, nextTryAt: "2026-11-28T00:00:00.000Z" },
    });
    let items = [event];
    open({
      "GET /payment-events/failed": () => pageOf(...items),
      "POST /payment-events/retries": () => {
        items = [];
        return { applied: 1, failed: 0, left: 0 };
      },
    });
    await screen.findByText(failure);
    expect(screen.getByText(/Tried 40 times, now once a day only/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByText(failure)).toBeNull());
  });

  it("closes no dialog when it is asked for again, as after an outage of the network", async () => {
    let asked = 0;
    open({
      "GET /payment-events/failed": () => {
        asked += 1;
        return asked === 1
          ? problem(503, "UNAVAILABLE", "Try again later.")
          : new Promise<never>(() => undefined);
      },
    });
    await screen.findByText("What the provider reported could not be loaded.");
    await userEvent.click(screen.getByRole("button", { name: "Import statement" }));
    const dialog = await screen.findByRole("dialog");
    act(() => {
      onlineManager.setOnline(false);
      onlineManager.setOnline(true);
    });
    await waitFor(() => expect(asked).toBe(2));
    await waitFor(() =>
      expect(screen.queryByText("What the provider reported could not be loaded.")).toBeNull(),
    );
    expect(screen.getByRole("dialog")).toBe(dialog);
  });
});

describe("payments to be matched", () => {
  it("say what they may pay and why, and are matched by a person", async () => {
    const sent: unknown[] = [];
    open({
      [`POST /statement-lines/${LINE_ID}/match`]: async (request) => {
        sent.push(await request.json());
        return { ...LINE, state: "matched", paymentId: PAYMENT_ID, proposals: [] };
      },
    });
    await screen.findByText(/certain, the reference is right, \$300\.00 due/);
    await userEvent.click(screen.getByRole("button", { name: "Decide" }));
    await userEvent.click(
      within(await screen.findByRole("dialog")).getByRole("button", { name: "Match" }),
    );
    await screen.findByText("The payment is matched.");
    expect(sent).toEqual([{ invoiceIds: [INVOICE_ID] }]);
  });

  it("are set aside with a reason only", async () => {
    const sent: unknown[] = [];
    open({
      [`POST /statement-lines/${LINE_ID}/ignore`]: async (request) => {
        sent.push(await request.json());
        return { ...LINE, state: "ignored", note: "Rent.", proposals: [] };
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Decide" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.click(dialog.getByText("No payment of a customer"));
    const button = dialog.getByRole("button", { name: "Set aside" });
    expect((button as HTMLButtonElement).disabled).toBe(true);
    await userEvent.type(dialog.getByLabelText("Reason"), "Rent.");
    await userEvent.click(button);
    await screen.findByText("The line is set aside.");
    expect(sent).toEqual([{ reason: "Rent." }]);
  });

  it("are looked at again after they were set aside", async () => {
    let ignored = [{ ...LINE, state: "ignored", note: "Rent.", proposals: [] }];
    const asked: (string | null)[] = [];
    open({
      "GET /statement-lines": ({ url }) => {
        const state = new URL(url).searchParams.get("state");
        asked.push(state);
        return state === "ignored" ? pageOf(...ignored) : pageOf();
      },
      [`POST /statement-lines/${LINE_ID}/reopen`]: () => {
        ignored = [];
        return LINE;
      },
    });
    await userEvent.click(await screen.findByRole("radio", { name: "No payment" }));
    await screen.findByText("Rent.");
    await userEvent.click(screen.getByRole("button", { name: "Reopen line" }));
    await screen.findByText("The line waits to be matched again.");
    await screen.findByText("Nothing is set aside");
    await userEvent.click(screen.getByRole("radio", { name: "Matched" }));
    await screen.findByText("Nothing is matched yet");
    expect(asked).toContain("matched");
  });

  it("come from a statement that is looked at first", async () => {
    const asked: { columns?: object; currency?: string }[] = [];
    const preview = statementPreview.parse({
      format: "csv",
      headings: ["When", "Sum"],
      columns: { date: "When", amount: "Sum", currency: null },
      count: 2,
      fresh: 1,
      lines: [
        { bookedOn: "2026-11-26", amount: "5.00", currency: "EUR", payer: "Ada", purpose: "hi" },
      ],
      problems: [{ line: 4, message: '"sum" is no date.' }],
    });
    open({
      "POST /bank-statement-previews": async (request) => {
        asked.push(await request.json());
        return preview;
      },
      "POST /bank-statements": () => ({
        statementId: "bst_1",
        count: 2,
        fresh: 1,
        certain: 0,
        problems: [],
      }),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Import statement" }));
    const dialog = within(await screen.findByRole("dialog"));
    const file = new File(["When;Sum\n26.11.2026;5,00\n"], "bank.csv", { type: "text/csv" });
    await userEvent.upload(dialog.getByLabelText("File"), file);
    await dialog.findByText(/Line 4: "sum" is no date/);
    await userEvent.type(dialog.getByLabelText("Currency of the account"), "eur");
    await waitFor(() => expect(asked.at(-1)).toMatchObject({ name: "bank.csv", currency: "EUR" }));
    await userEvent.click(await dialog.findByRole("button", { name: "Import 1 new of 2" }));
    await screen.findByText("1 new line, 0 certain.");
  });
});

describe("a refund", () => {
  it("of a transfer waits until it is said to be transferred", async () => {
    const refundId = "rfd_0199f3b0c1d27a4e8f60112233445566";
    const refund = {
      ...{ refundId, kind: "operator", state: "processing", amount: "20.00", reason: "Agreed." },
      ...{ message: null, reference: refundId, requestedBy: "operator:1" },
      createdAt: "2026-11-26T00:00:00.000Z",
    };
    const sent: unknown[] = [];
    open({
      "GET /payments": () => pageOf({ ...PAYMENT, refunded: "20.00", refunds: [refund] }),
      [`POST /refunds/${refundId}/settlement`]: async (request) => {
        sent.push(await request.json());
        return { ...PAYMENT, refunds: [{ ...refund, state: "succeeded" }] };
      },
    });
    await screen.findByText("$20.00 to be transferred");
    await userEvent.click(screen.getByRole("button", { name: "Transferred" }));
    await screen.findByText("The refund of $20.00 is transferred.");
    expect(sent).toEqual([{ state: "succeeded" }]);
  });

  it("says what changes before, and keeps what is typed when it is refused", async () => {
    let isRefused = true;
    open({
      [`POST /payments/${PAYMENT_ID}/refund-previews`]: async (request) => {
        const { withCreditNote } = (await request.json()) as { withCreditNote: boolean };
        return refundPreview.parse({
          amount: "350.00",
          currency: "USD",
          left: "350.00",
          fromBalance: "50.00",
          balanceAfter: "0.00",
          invoices: [],
          creditNotes: [],
          texts: [withCreditNote ? "It is credited." : "It is due again."],
        });
      },
      [`POST /payments/${PAYMENT_ID}/refunds`]: () =>
        isRefused ? problem(409, "CONFLICT", "Less is left.") : { ...PAYMENT, left: "0.00" },
    });
    await screen.findByText("$50.00 to the balance");
    await userEvent.click(screen.getByRole("button", { name: "Refund" }));
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByText("It is credited.");
    await userEvent.click(dialog.getByText("Also credit its invoices"));
    await dialog.findByText("It is due again.");
    await userEvent.type(dialog.getByLabelText("Reason"), "Agreed.");
    await userEvent.click(dialog.getByRole("button", { name: "Refund" }));
    await dialog.findByText("Less is left.");
    isRefused = false;
    await userEvent.click(dialog.getByRole("button", { name: "Refund" }));
    await screen.findByText("The refund is on its way.");
  });
});

describe("an invoice", () => {
  it("shows the attempts to collect it, and what comes", async () => {
    const collection = invoiceCollection.parse({
      invoiceId: INVOICE_ID,
      due: "49.00",
      currency: "USD",
      reference: "RF94INV2026000001",
      bank: null,
      isAutomatic: true,
      attempts: [
        {
          attemptId: `att_${"1".repeat(32)}`,
          provider: "stripe",
          cause: "issued",
          state: "failed",
          amount: "49.00",
          currency: "USD",
          reason: "insufficient_funds",
          message: "Your card has insufficient funds.",
          reference: null,
          createdAt: "2026-11-01T00:00:00.000Z",
          updatedAt: "2026-11-01T00:00:00.000Z",
        },
      ],
      calendar: {
        begins: "failed_payment",
        since: "2026-11-01T00:00:00.000Z",
        nextAttempts: [],
        nextReminders: [],
        isStopped: false,
        graceFrom: "2026-11-22T00:00:00.000Z",
        blockedFrom: "2026-11-29T00:00:00.000Z",
        standing: "overdue",
        texts: ["The payment is tried again on 3 November 2026."],
      },
    });
    open(
      {
        [`GET /tenants/${OTHER}/invoices/${INVOICE_ID}`]: () =>
          makeInvoice({ tenantId: OTHER, tenantName: "Birch" }),
        [`GET /tenants/${OTHER}/invoices/${INVOICE_ID}/collection`]: () => collection,
      },
      `/billings?view=all&invoice=${INVOICE_ID}&owner=${OTHER}`,
    );
    await screen.findByText(/Your card has insufficient funds/);
    screen.getByText("Failed");
    screen.getByText("The payment is tried again on 3 November 2026.");
    screen.getByText("Bank reference RF94INV2026000001");
  });
});
