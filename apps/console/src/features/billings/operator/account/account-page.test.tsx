// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { limits } from "@turnpike/contract/limits";
import { tenantId } from "@turnpike/contract/shapes";
import { billingEvent } from "@turnpike/contract/subscriptions";
import { tenant } from "@turnpike/contract/tenants";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  makeInvoice,
  makeInvoiceSummary,
  makeQuote,
  makeSubscription,
  makeUpcoming,
} from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import { makePlan } from "#components/billing/plan.fixture.ts";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { makeCreditGrant, makeCredits } from "../../credits/credits.fixture.ts";
import { makeDetails } from "../../details/billing-details.fixture.ts";
import { makeSpendCap } from "../../spend-cap/spend-cap.fixture.ts";
import { type BillingsAddress, parseBillingsAddress } from "../all-invoices-search.view-model.ts";
import { BillingsScreen } from "../billings-screen.tsx";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const BIRCH = tenantId.parse("ten_0199f3b0c1d27a4e8f60112233445577");
const OF_BIRCH = `/tenants/${BIRCH}`;
const AT = "2026-11-01T00:00:00.000Z";

const ANSWERS: FakeAnswers = {
  [`GET ${OF_BIRCH}`]: () =>
    tenant.parse({
      tenantId: BIRCH,
      name: "Birch",
      slug: "birch",
      externalId: null,
      planId: "pro",
      planVersion: 1,
      periodAnchor: AT,
      suspendedAt: null,
      logoId: null,
      createdAt: AT,
      role: null,
    }),
  [`GET ${OF_BIRCH}/subscription`]: () =>
    makeSubscription({ tenantId: BIRCH, balance: "12.50", revision: 3 }),
  [`GET ${OF_BIRCH}/invoices/upcoming`]: () => makeUpcoming({ tenantId: BIRCH }),
  [`GET ${OF_BIRCH}/invoices`]: () => ({
    items: [makeInvoiceSummary({ tenantId: BIRCH })],
    nextCursor: null,
  }),
  [`GET ${OF_BIRCH}/billing/details`]: () => makeDetails({ tenantId: BIRCH }),
  [`GET ${OF_BIRCH}/billing/spend-cap`]: () => makeSpendCap({ currency: "USD" }),
  [`GET ${OF_BIRCH}/billing/credits`]: () => makeCredits({ grants: [makeCreditGrant()] }),
  [`GET ${OF_BIRCH}/billing/events`]: () => ({
    items: [
      billingEvent.parse({
        sequence: 1,
        at: AT,
        recordedAt: AT,
        kind: "subscribed",
        text: "Pro was chosen.",
        actor: "user usr_1",
      }),
    ],
    nextCursor: null,
  }),
  [`GET ${OF_BIRCH}/limits`]: () =>
    limits.parse({
      planId: "pro",
      planVersion: 1,
      plan: { name: "Pro", currency: "USD", pricePerMonth: "49" },
      rateLimits: [],
      concurrency: null,
      quotas: [],
      balances: [],
    }),
  "GET /plans": () => ({
    items: [makePlan(), makePlan({ planId: "deal", name: "Special deal", visibility: "private" })],
  }),
  "GET /meters": () => ({ items: [] }),
};

function openAccount(answers: FakeAnswers = {}) {
  return openScreen<BillingsAddress>({
    address: `/billings?view=all&owner=${BIRCH}`,
    parseSearch: parseBillingsAddress,
    screen: (search, onSearchChange) => (
      <BillingsScreen search={search} onSearchChange={onSearchChange} />
    ),
    isOperator: true,
    role: null,
    answers: { ...ANSWERS, ...answers },
  });
}

describe("the billing of one tenant, for operators", () => {
  it("shows plan, running invoice, invoices, balance and history on one page", async () => {
    openAccount();
    await screen.findByRole("heading", { name: "Birch" });
    await screen.findByRole("region", { name: "Pro" });
    await screen.findByRole("table", { name: "Lines of the running invoice" });
    await screen.findByText("INV-2026-000001");
    await screen.findByText(/Pro was chosen\./);
    const balance = screen.getByRole("region", { name: "Balance" });
    within(balance).getByText("$12.50");
    within(balance).getByText("Pro renews for another month.");
  });

  it("opens an invoice of the tenant, and keeps the tenant in the address", async () => {
    const { readSearch } = openAccount({
      [`GET ${OF_BIRCH}/invoices/${makeInvoice().invoiceId}`]: () =>
        makeInvoice({ tenantId: BIRCH, tenantName: "Birch" }),
    });
    await userEvent.click(await screen.findByText("INV-2026-000001"));
    await screen.findByRole("heading", { name: "Invoice INV-2026-000001" });
    expect(readSearch()).toEqual({
      view: "all",
      owner: BIRCH,
      invoice: makeInvoice().invoiceId,
    });
  });

  it("changes the plan by a quote, to one that customers cannot see as well", async () => {
    const confirmed: unknown[] = [];
    openAccount({
      [`POST ${OF_BIRCH}/subscription/quotes`]: async (request) => {
        const { action } = await request.json();
        expect(action).toEqual({ do: "change", planId: "deal" });
        return makeQuote({ action, dueNow: "20.00" });
      },
      [`POST ${OF_BIRCH}/subscription/changes`]: async (request) => {
        confirmed.push(await request.json());
        return makeSubscription({ tenantId: BIRCH, planId: "deal", planName: "Special deal" });
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Change plan" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Change to Special deal" }));
    const dialog = await screen.findByRole("dialog", { name: "Change to Special deal" });
    await userEvent.click(await within(dialog).findByRole("button", { name: /\$20\.00/ }));
    await waitFor(() => expect(confirmed).toHaveLength(1));
    expect(confirmed[0]).toMatchObject({ hash: "hash-1", environment: "live" });
  });

  it("confirms the tax id that was looked at, with a reason, and exempts by a certificate", async () => {
    const sent: unknown[] = [];
    let details = makeDetails({ tenantId: BIRCH, taxId: "FR40303265045", taxIdStatus: "pending" });
    openAccount({
      [`GET ${OF_BIRCH}/billing/details`]: () => details,
      [`POST ${OF_BIRCH}/billing/details/tax-id`]: async (request) => {
        sent.push(await request.json());
        details = { ...details, taxIdStatus: "confirmed", taxIdReason: "Seen at VIES." };
        return details;
      },
      [`POST ${OF_BIRCH}/billing/details/exemption`]: async (request) => {
        sent.push(await request.json());
        details = { ...details, isExempt: true, exemption: "Certificate 7" };
        return details;
      },
    });
    const card = within(await screen.findByRole("region", { name: "Billing details" }));
    await userEvent.click(await card.findByRole("button", { name: "Confirm the tax id…" }));
    const confirm = within(await screen.findByRole("dialog", { name: "Confirm FR40303265045" }));
    await userEvent.type(confirm.getByLabelText("Reason"), "Seen at VIES.");
    await userEvent.click(confirm.getByRole("button", { name: "Confirm the tax id" }));
    await card.findByText("Confirmed");
    await userEvent.click(card.getByRole("button", { name: "Exempt from tax…" }));
    const exempt = within(await screen.findByRole("dialog", { name: "Exempt Birch from tax" }));
    await userEvent.type(exempt.getByLabelText("Certificate"), "Certificate 7");
    await userEvent.type(exempt.getByLabelText("Reason"), "A school.");
    await userEvent.click(exempt.getByRole("button", { name: "Grant the exemption" }));
    await card.findByText("No tax is charged: Certificate 7");
    expect(sent).toEqual([
      { taxId: "FR40303265045", status: "confirmed", reason: "Seen at VIES." },
      { exemption: "Certificate 7", reason: "A school." },
    ]);
  });

  it("charges once, with a reason, and keeps what is typed when it is refused", async () => {
    const sent: unknown[] = [];
    openAccount({
      [`POST ${OF_BIRCH}/adjustments`]: async (request) => {
        sent.push(await request.json());
        return sent.length === 1
          ? problem(409, "CONFLICT", "The subscription has ended.")
          : makeSubscription({ tenantId: BIRCH });
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Charge once…" }));
    const dialog = await screen.findByRole("dialog", { name: "Charge Birch once" });
    const fill = (label: string, value: string) =>
      fireEvent.change(within(dialog).getByLabelText(label), { target: { value } });
    fill("Description", "Migration");
    fill("Amount, before tax", "500");
    const send = () => within(dialog).getByRole("button", { name: "Add to the next invoice" });
    expect((send() as HTMLButtonElement).disabled).toBe(true);
    fill("Reason", "As agreed.");
    await userEvent.click(send());
    await within(dialog).findByText("The subscription has ended.");
    await userEvent.click(send());
    await screen.findByText("Migration will be on the next invoice.");
    expect(sent[1]).toEqual({
      environment: "live",
      description: "Migration",
      amount: "500",
      taxClass: "standard",
      when: "next_invoice",
      reason: "As agreed.",
    });
  });

  it("grants credit with what the next invoice comes to, and takes back what is left", async () => {
    const sent: unknown[] = [];
    const grantId = makeCreditGrant().grantId;
    openAccount({
      [`POST ${OF_BIRCH}/billing/credits/preview`]: () => ({
        without: makeUpcoming({ tenantId: BIRCH, due: "49.00" }),
        with: makeUpcoming({ tenantId: BIRCH, due: "39.00" }),
      }),
      [`POST ${OF_BIRCH}/billing/credits`]: async (request) => {
        sent.push(await request.json());
        return makeCredits();
      },
      [`POST ${OF_BIRCH}/billing/credits/${grantId}/revoke`]: async (request) => {
        sent.push(await request.json());
        return makeCredits();
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Grant credit…" }));
    const dialog = await screen.findByRole("dialog", { name: "Grant credit to Birch" });
    const fill = (label: string, value: string) =>
      fireEvent.change(within(dialog).getByLabelText(label), { target: { value } });
    fill("Amount", "10");
    await within(dialog).findByText(/comes to \$39\.00 instead of \$49\.00/);
    fill("Reason", "Sorry.");
    await userEvent.click(within(dialog).getByRole("button", { name: "Grant credit" }));
    await screen.findByText("The credit is granted.");
    await userEvent.click(await screen.findByRole("button", { name: "Take back Welcome." }));
    const asking = within(await screen.findByRole("dialog", { name: "Take back credit" }));
    await userEvent.type(asking.getByLabelText("Reason"), "A mistake.");
    await userEvent.click(asking.getByRole("button", { name: "Take back" }));
    await screen.findByText("The credit is taken back.");
    expect(sent).toMatchObject([
      { environment: "live", kind: "promotional", amount: "10", reason: "Sorry." },
      { environment: "live", reason: "A mistake." },
    ]);
  });

  it("says when there is no such tenant", async () => {
    openAccount({
      [`GET ${OF_BIRCH}`]: () => problem(404, "RESOURCE_NOT_FOUND", "There is no such tenant."),
    });
    await screen.findByText("The tenant could not be loaded.");
    screen.getByText("There is no such tenant.");
  });
});
