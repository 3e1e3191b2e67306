// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { TENANT_ID } from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import {
  makeExhaustion,
  makeInvoiceForecast,
  makeMeterForecast,
  makeUsageForecast,
} from "#components/forecast/forecast.fixture.ts";
import { makeInsightList } from "#components/insights/insights.fixture.ts";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";
import { AiIntelligencePage } from "./ai-intelligence-page.tsx";

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
    parseSearch: () => ({}),
    screen: () => (
      <AiIntelligencePage dialogs={{ renderKey: () => null, renderAlert: () => null }} />
    ),
    answers: {
      [`GET ${AT}/insights/feedback`]: () => ({ items: [] }),
      "GET /insight-digests": () => ({ items: [], email: null, sendsMail: false }),
      [`GET ${AT}/forecasts/usage`]: () => makeUsageForecast([makeMeterForecast()]),
      [`GET ${AT}/forecasts/invoice`]: () => makeInvoiceForecast(),
      [`GET ${AT}/forecasts/exhaustion`]: () => ({
        tenantId: TENANT_ID,
        asOf: "2026-11-20T00:00:00.000Z",
        items: [makeExhaustion()],
      }),
      ...answers,
    },
  });
}

describe("AI intelligence", () => {
  it("shows what is coming: the projected invoice with its range, and what runs out when", async () => {
    openPage({ [`GET ${AT}/insights`]: () => makeInsightList({ items: [] }) });
    await screen.findByText("$123.40");
    screen.getByText(/Runs out around/);
    screen.getByText("80 %: 2,790 – 3,410");
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
});
