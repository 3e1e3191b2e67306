// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { INVOICE_ID, makeInvoice, NOW } from "#components/billing/billing-answers.fixture.ts";
import { OF_TENANT, openBillings, stageBillings } from "../billings-page.fixture.tsx";
import { makeCreditGrant, makeCredits } from "./credits.fixture.ts";

stageBillings();

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
