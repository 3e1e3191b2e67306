// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { INVOICE_ID, makeInvoice } from "#components/billing/billing-answers.fixture.ts";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";
import { OF_TENANT, openBillings, stageBillings } from "../billings-page.fixture.tsx";
import { makeAttempt, makeCollection, makeMethod, makeSetup } from "./payments.fixture.ts";

stageBillings();

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
