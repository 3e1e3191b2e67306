// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { limits as limitsShape } from "@turnpike/contract/limits";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  makeClock,
  makeLine,
  makeQuote,
  makeSubscription,
  TENANT_ID,
} from "#components/billing/billing-answers.fixture.ts";
import {
  type OpenScreenInput,
  openScreen,
} from "#components/billing/open-billing-screen.fixture.tsx";
import { GRADUATED, METERS, makeFee, makePlan } from "#components/billing/plan.fixture.ts";
import { makeInsightList } from "#components/insights/insights.fixture.ts";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import type { Limits } from "#platform/shared-queries.ts";
import { PlansPage } from "./plans-page.tsx";
import { type PlansSearch, parsePlansSearch } from "./plans-search.view-model.ts";

const OF_TENANT = `/tenants/${TENANT_ID}`;
const FREE = makePlan({
  planId: "free",
  version: 2,
  isDefault: true,
  name: "Free",
  pricePerMonth: "0",
  quotas: [{ meter: "requests", limit: 50_000, kind: "hard" }],
  phases: [
    {
      rateCards: [
        { key: "requests", meter: "requests", entitlement: { kind: "hard", limit: "50000" } },
      ],
    },
  ],
});
const PRO = makePlan({
  planId: "pro",
  name: "Pro",
  phases: [{ duration: { days: 14 }, rateCards: [] }, { rateCards: [makeFee("49"), GRADUATED] }],
});
const LIMITS: Limits = {
  planId: "free",
  planVersion: 1,
  plan: { name: "Free", currency: "USD", pricePerMonth: "5" },
  rateLimits: [],
  quotas: [],
  concurrency: null,
  balances: [{ meter: "requests", environment: "live", used: "12500" }],
};
const onFree = () =>
  makeSubscription({ life: "none", planId: "free", planName: "Free", dates: [] });

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

function openPlans(
  more: Partial<OpenScreenInput<PlansSearch>> & { limits?: Limits } = {},
  answers: FakeAnswers = {},
) {
  return openScreen({
    address: "/plans",
    parseSearch: parsePlansSearch,
    screen: (search, onSearchChange) => (
      <PlansPage search={search} onSearchChange={onSearchChange} />
    ),
    planId: "free",
    ...more,
    answers: {
      "GET /plans": () => ({ items: [FREE, PRO] }),
      "GET /meters": () => ({ items: METERS }),
      [`GET ${OF_TENANT}/limits`]: () => limitsShape.parse(more.limits ?? LIMITS),
      [`GET ${OF_TENANT}/subscription`]: onFree,
      [`GET ${OF_TENANT}/insights`]: () => makeInsightList(),
      [`GET ${OF_TENANT}/payment-method`]: () => ({ method: null, canSetUp: true, bank: null }),
      ...answers,
    },
  });
}

describe("PlansPage", () => {
  it("shows an operator without a tenant what is sold, and where to change it", async () => {
    openPlans({ isOperator: true, role: null });
    await screen.findByRole("heading", { name: "Free", level: 2 });
    screen.getByText(/Your customers see these plans/);
    expect(screen.getByRole("link", { name: "catalogue" }).getAttribute("href")).toBe(
      "/docs/configuration#catalog",
    );
    expect(screen.getByRole("link", { name: "All tenants" }).getAttribute("href")).toContain(
      "/operator/tenants",
    );
    expect(screen.queryByText(/You have|ask them/)).toBe(null);
    expect(screen.queryByRole("button", { name: /^Choose/ })).toBe(null);
  });

  it("names the tenant to an operator, instead of saying “you”", async () => {
    openPlans({ isOperator: true });
    await screen.findByText("Acme has used 25.0% of this so far (12,500 requests)");
    screen.getByText("Plan of Acme");
    screen.getByText(/Acme keeps the version it started on, at \$5 a month/);
    expect(screen.queryByText(/You have used|Current plan/)).toBe(null);
  });

  it("says “you” to a customer, who has no tabs", async () => {
    openPlans();
    await screen.findByText("You have used 25.0% of this so far (12,500 requests)");
    screen.getByText("Current plan");
    screen.getByText(/For another plan, or a question about a price, contact/);
    expect(screen.queryByRole("tab")).toBe(null);
  });

  it("names a plan that is no longer sold, with its price, to a tenant that is on it", async () => {
    openPlans({
      limits: {
        ...LIMITS,
        planId: "legacy",
        plan: { name: "Legacy", currency: "EUR", pricePerMonth: "19.90" },
      },
    });
    await screen.findByText(/You are on Legacy, at €19.90 a month/);
  });

  it("asks a customer without a tenant to create one", async () => {
    openPlans({ role: null });
    await screen.findByText("You have no tenant yet");
  });

  it("spells out phases, tiers and what usage adds", async () => {
    openPlans();
    const heading = await screen.findByRole("heading", { name: "Pro", level: 2 });
    const card = within(heading.closest("li") as HTMLElement);
    card.getByRole("heading", { name: "First 14 days: free trial" });
    card.getByText("Base fee: $49.00 a month");
    card.getByRole("row", { name: "1,001 to 10,000 $0.002" });
    await card.findByText("plus usage");
  });

  it("prices the usage of this period in every plan, and any other that is typed", async () => {
    openPlans();
    const field = await screen.findByRole("textbox", { name: "Requests a month" });
    expect(field).toHaveProperty("value", "12,500");
    const region = within(screen.getByRole("region", { name: "What would it cost?" }));
    // 49.00 + 9,000 at 0.002 + 2,500 at 0.001.
    region.getByText("$69.50");
    await userEvent.clear(field);
    await userEvent.type(field, "60000");
    await region.findByText("$117.00");
    region.getByText("Denies calls beyond 50,000 requests a month.");
  });
});

/** The button that asked for a change may be gone after it. */
const findFocusOnPanel = (planName: string) =>
  waitFor(() => {
    expect(screen.queryByRole("dialog")).toBe(null);
    const region = screen.getByRole("region", { name: planName });
    expect(document.activeElement).toBe(
      within(region).getByRole("heading", { name: planName, level: 2 }),
    );
  });

const QUOTES = `POST ${OF_TENANT}/subscription/quotes`;
const CHANGES = `POST ${OF_TENANT}/subscription/changes`;
const invoiceOf = (amount: string) => ({
  ...{ currency: "USD", lines: [makeLine({ amount })], net: amount, taxes: [], total: amount },
  ...{ fromBalance: "0.00", prepaid: "0.00", due: amount },
});
const quoteOf = (amount: string, hash: string) =>
  makeQuote({
    hash,
    action: { do: "subscribe", planId: "pro" },
    invoices: [invoiceOf(amount)],
    dueNow: amount,
    nextTotal: "49.00",
    texts: ["Pro begins now."],
  });

describe("choosing a plan", () => {
  it("shows what it comes to and confirms exactly that", async () => {
    let sent: unknown;
    let quotes = 0;
    openPlans(
      {},
      {
        [`GET ${OF_TENANT}/subscription`]: () =>
          sent === undefined ? onFree() : makeSubscription(),
        [QUOTES]: () => {
          quotes += 1;
          return quoteOf("49.00", "first");
        },
        [CHANGES]: async (request) => {
          sent = await request.json();
          return makeSubscription();
        },
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Choose Pro" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Choose Pro" }));
    await dialog.findByText("Pro begins now.");
    // Nothing has to be typed, so what is read first is what it comes to.
    await waitFor(() =>
      expect(document.activeElement).toBe(dialog.getByRole("region", { name: "What it comes to" })),
    );
    dialog.getByText("Invoice issued at once");
    dialog.getByText("The first billing period begins now, and quotas count from zero.");
    dialog.getByText(
      "An invoice of $49.00 is issued. There is no payment method yet: add one under Billings to pay it.",
    );
    dialog.getByText("$49.00 plus usage");
    await userEvent.click(dialog.getByRole("button", { name: "Confirm for $49.00" }));
    await screen.findByText("Pro is your plan now.");
    const { action, at } = quoteOf("49.00", "first");
    expect(sent).toEqual({ environment: "live", action, at, hash: "first" });
    await findFocusOnPanel("Pro");
    expect(screen.queryByRole("button", { name: "Choose Pro" })).toBe(null);
    // What was done is not quoted once more: it would be refused.
    expect(quotes).toBe(1);
  });

  it("asks again with what changed when the quote would come to another sum by now", async () => {
    const sent: unknown[] = [];
    openPlans(
      {},
      {
        [QUOTES]: () => quoteOf("49.00", "first"),
        [CHANGES]: async (request) => {
          const { hash } = (await request.json()) as { hash: string };
          sent.push(hash);
          return hash === "first" ? refuseWith(quoteOf("53.90", "second")) : makeSubscription();
        },
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Choose Pro" }));
    await userEvent.click(await screen.findByRole("button", { name: "Confirm for $49.00" }));
    const notice = within(
      await screen
        .findByText("This changed while you were reading.")
        .then((title) => title.parentElement as HTMLElement),
    );
    notice.getByText("Due now: $53.90, was $49.00.");
    expect(screen.queryByText("Nothing was changed.")).toBe(null);
    await userEvent.click(screen.getByRole("button", { name: "Confirm for $53.90" }));
    await screen.findByText("Pro is your plan now.");
    expect(sent).toEqual(["first", "second"]);
  });

  it("says why it cannot be done, and confirms nothing", async () => {
    openPlans(
      {},
      { [QUOTES]: () => problem(409, "CONFLICT", "A plan runs already: change it, or cancel it.") },
    );
    const choose = await screen.findByRole("button", { name: "Choose Pro" });
    await userEvent.click(choose);
    await screen.findByText("A plan runs already: change it, or cancel it.");
    expect(screen.getByRole("button", { name: "Confirm" })).toHaveProperty("disabled", true);
    await userEvent.click(screen.getByRole("button", { name: "Back" }));
    await waitFor(() => expect(document.activeElement).toBe(choose));
  });

  it("keeps the dialog open when confirming fails, and says that nothing was changed", async () => {
    openPlans(
      {},
      {
        [QUOTES]: () => quoteOf("49.00", "first"),
        [CHANGES]: () => problem(503, "UNAVAILABLE", "Try again later."),
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Choose Pro" }));
    await userEvent.click(await screen.findByRole("button", { name: "Confirm for $49.00" }));
    await screen.findByText("Nothing was changed.");
    screen.getByText("Try again later.");
    screen.getByRole("button", { name: "Confirm for $49.00" });
  });

  it("is left to people who may, and says to others who that is", async () => {
    openPlans({ role: "developer" });
    await screen.findByText(/Your role, developer, cannot change the plan/);
    expect(screen.queryByRole("button", { name: "Choose Pro" })).toBe(null);
  });
});

describe("changing a subscription", () => {
  const ACTIVE: FakeAnswers = {
    [`GET ${OF_TENANT}/subscription`]: () =>
      makeSubscription({ seats: [{ card: "seats", name: "Seats", quantity: "3" }] }),
  };

  it("quotes a change for the time that the engine chooses, until another is chosen", async () => {
    const asked: unknown[] = [];
    const later = "2026-12-01T00:00:00.000Z";
    openPlans(
      {},
      {
        ...ACTIVE,
        [QUOTES]: async (request) => {
          const { action } = (await request.json()) as { action: { when?: string } };
          asked.push(action);
          return makeQuote(action.when === "now" ? {} : { effectiveAt: later });
        },
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Change to Free" }));
    await screen.findByText(/^Takes effect on Dec 1, 2026/);
    const end = screen.getByRole("radio", { name: /^At the end of the period/ });
    expect(end.getAttribute("aria-checked")).toBe("true");
    await userEvent.click(screen.getByRole("radio", { name: /^Now/ }));
    await screen.findByText("Takes effect at once.");
    expect(asked).toEqual([
      { do: "change", planId: "free" },
      { do: "change", planId: "free", when: "now" },
    ]);
  });

  it("quotes seats once the number is another one", async () => {
    const asked: unknown[] = [];
    openPlans(
      {},
      {
        ...ACTIVE,
        [QUOTES]: async (request) => {
          asked.push(((await request.json()) as { action: unknown }).action);
          return makeQuote({ dueNow: "9.00" });
        },
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Change Seats" }));
    expect(screen.getByRole("button", { name: "Confirm" })).toHaveProperty("disabled", true);
    await userEvent.click(screen.getByRole("button", { name: "Increase" }));
    await screen.findByRole("button", { name: "Confirm for $9.00" });
    expect(asked).toEqual([{ do: "seats", card: "seats", quantity: "4" }]);
  });

  it("cancels with the reason, which the operator reads", async () => {
    let sent: unknown;
    openPlans(
      {},
      {
        ...ACTIVE,
        [QUOTES]: async (request) =>
          makeQuote({ action: ((await request.json()) as { action: never }).action }),
        [CHANGES]: async (request) => {
          sent = ((await request.json()) as { action: unknown }).action;
          return makeSubscription({
            pending: { change: null, endsAt: "2026-12-01T00:00:00.000Z", pausesAt: null },
          });
        },
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Cancel plan" }));
    await userEvent.type(await screen.findByLabelText(/Why are you leaving/), "Too slow");
    await waitFor(async () => {
      await userEvent.click(screen.getByRole("button", { name: "Confirm: nothing due now" }));
      expect(sent).toEqual({ do: "cancel", when: "period_end", reason: "Too slow" });
    });
    await screen.findByText("Pro ends with the period.");
    await findFocusOnPanel("Pro");
  });

  it("is of the sandbox where the address says so", async () => {
    let environment: unknown;
    openPlans(
      { address: "/plans?environment=test" },
      {
        [`GET ${OF_TENANT}/subscription`]: () => makeSubscription({ environment: "test" }),
        [`GET ${OF_TENANT}/sandbox/clock`]: () => makeClock(),
        [QUOTES]: async (request) => {
          environment = ((await request.json()) as { environment: unknown }).environment;
          return makeQuote();
        },
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Change to Free" }));
    await screen.findByText(/^In the sandbox/);
    await waitFor(() => expect(environment).toBe("test"));
  });
});

it("shows the plans, and nothing that seems to load, where usage and the time of the sandbox fail", async () => {
  const fail = () => problem(503, "UNAVAILABLE", "Try again later.");
  openPlans(
    { address: "/plans?environment=test" },
    {
      [`GET ${OF_TENANT}/limits`]: fail,
      [`GET ${OF_TENANT}/sandbox/clock`]: fail,
      [`GET ${OF_TENANT}/subscription`]: () => makeSubscription({ environment: "test" }),
    },
  );
  await screen.findByText("Your usage could not be compared with these plans.");
  await screen.findByText("The time in the sandbox could not be loaded.");
  await screen.findByRole("heading", { name: "Free", level: 2 });
  await waitFor(() => expect(document.querySelector("[data-skeleton]")).toBe(null));
});

/** The refusal of a quote that would come to another sum by now. */
function refuseWith(quote: object): Response {
  const body = { code: "QUOTE_CHANGED", error: "The change would cost another sum.", quote };
  return new Response(JSON.stringify({ status: 409, errors: [], ...body }), {
    status: 409,
    headers: { "content-type": "application/problem+json" },
  });
}
