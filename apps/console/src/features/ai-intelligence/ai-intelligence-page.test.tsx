// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makePlanAdvice } from "#components/advice/advice.fixture.ts";
import { TENANT_ID } from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import {
  makeExhaustion,
  makeInvoiceForecast,
  makeMeterForecast,
  makeUsageForecast,
} from "#components/forecast/forecast.fixture.ts";
import { makeInsightList } from "#components/insights/insights.fixture.ts";
import { KEPT_AT, QUESTION_CHOICES } from "#components/questions/questions.fixture.ts";
import type { PlanAdvice } from "#platform/advice-queries.ts";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";
import { AiIntelligencePage } from "./ai-intelligence-page.tsx";
import { parseAskSearch } from "./ask/ask-search.view-model.ts";

const AT = `/tenants/${TENANT_ID}`;

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

beforeEach(() => {
  // jsdom lays nothing out: charts are drawn at one width.
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #report: ResizeObserverCallback;
      constructor(report: ResizeObserverCallback) {
        this.#report = report;
      }
      observe(): void {
        const entry = { contentRect: { width: 600 } };
        Reflect.apply(this.#report, undefined, [[entry], this]);
      }
      disconnect = vi.fn();
    },
  );
});

function openPage(answers: FakeAnswers) {
  return openScreen({
    address: "/ai-intelligence",
    parseSearch: parseAskSearch,
    screen: (search, onSearchChange) => (
      <AiIntelligencePage
        dialogs={{ renderKey: () => null, renderAlert: () => null }}
        search={search}
        onSearchChange={onSearchChange}
      />
    ),
    answers: {
      [`GET ${AT}/insights/feedback`]: () => ({ items: [] }),
      "GET /insight-digests": () => ({ items: [], email: null, sendsMail: false }),
      [`GET ${AT}/forecasts/usage`]: () => makeUsageForecast([makeMeterForecast()]),
      [`GET ${AT}/forecasts/invoice`]: () => makeInvoiceForecast(),
      [`GET ${AT}/advice/plans`]: () => makePlanAdvice(),
      [`GET ${AT}/forecasts/exhaustion`]: () => ({
        tenantId: TENANT_ID,
        asOf: "2026-11-20T00:00:00.000Z",
        items: [makeExhaustion()],
      }),
      [`GET ${AT}/questions/choices`]: () => QUESTION_CHOICES,
      [`GET ${AT}/${KEPT_AT}`]: () => ({ items: [], nextCursor: null }),
      ...answers,
    },
  });
}

describe("AI intelligence", () => {
  it("shows what is coming: the projected invoice with its range, and what runs out when", async () => {
    openPage({ [`GET ${AT}/insights`]: () => makeInsightList({ items: [] }) });
    await screen.findByText("$123.40");
    screen.getByText(/Runs out around/);
    screen.getByText("80%: 2,790 – 3,410");
    await screen.findByRole("figure", { name: "Requests by day, with forecast" });
    await userEvent.click(screen.getByRole("button", { name: "Show lines" }));
    screen.getByRole("table", { name: "Lines of the projected invoice" });
  });

  it("says what a forecast waits for", async () => {
    const young = makeMeterForecast({
      state: "not_enough_history",
      history: { days: 5, needed: 21 },
    });
    openPage({
      [`GET ${AT}/insights`]: () => makeInsightList({ items: [] }),
      [`GET ${AT}/forecasts/usage`]: () => makeUsageForecast([young]),
      [`GET ${AT}/forecasts/invoice`]: () =>
        makeInvoiceForecast({
          state: "not_enough_history",
          history: { days: 5, needed: 21 },
          invoices: [],
        }),
    });
    await screen.findByText("5 of 21 days of history");
    screen.getByText(/\$49.00 so far/);
  });

  it("compares plans by the usage of the last months, month by month on demand, with what was left unused", async () => {
    openPage({ [`GET ${AT}/insights`]: () => makeInsightList({ items: [] }) });
    await screen.findByText(
      "Growth would have cost $41.00 less over the last 2 months, and denied no call.",
    );
    screen.getByText("−$41.00");
    screen.getByText("Would have denied 1,200 requests.");
    screen.getByText(/at most 900 of 10,000 requests included in the price/);
    expect(screen.queryByText("Sep 2026")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Show months" }));
    screen.getByText("Sep 2026");
    screen.getByText("$80.50");
    expect(screen.getByRole("link", { name: "Compare and change" }).getAttribute("href")).toBe(
      "/plans",
    );
  });

  it("says that the own plan is best, that one that denies no call costs more, and what comparing waits for", async () => {
    const open = async (advice: PlanAdvice, text: RegExp) => {
      openPage({
        [`GET ${AT}/insights`]: () => makeInsightList({ items: [] }),
        [`GET ${AT}/advice/plans`]: () => advice,
      });
      await screen.findByText(text);
      cleanup();
    };
    await open(makePlanAdvice({ recommended: null }), /Your plan was the best choice/);
    const dearer = { planId: "growth", reason: "refuses_nothing", saving: "-9.00" } as const;
    await open(
      makePlanAdvice({ recommended: dearer, refused: 30 }),
      /cost \$9.00 more over .* denied no call for a quota; your plan denied 30/,
    );
    await open(
      makePlanAdvice({ state: "not_enough_history", months: [], plans: [], recommended: null }),
      /once a calendar month of usage is over/,
    );
  });
});
