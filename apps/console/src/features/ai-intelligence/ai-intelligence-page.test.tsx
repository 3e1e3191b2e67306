// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TENANT_ID } from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import { INSIGHT_ID, makeInsight, makeInsightList } from "#components/insights/insights.fixture.ts";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { makeUsageReport } from "#platform/usage-report.fixture.ts";
import { AiIntelligencePage } from "./ai-intelligence-page.tsx";

const AT = `/tenants/${TENANT_ID}`;

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

function openPage(answers: FakeAnswers, role?: "viewer") {
  return openScreen({
    address: "/ai-intelligence",
    parseSearch: () => ({}),
    screen: () => <AiIntelligencePage />,
    answers: {
      [`GET ${AT}/keys`]: () => ({ items: [], nextCursor: null }),
      [`GET ${AT}/usage`]: () => makeUsageReport({ rows: [] }),
      ...answers,
    },
    ...(role === undefined ? {} : { role }),
  });
}

describe("AI intelligence", () => {
  it("shows what changed with its evidence, its cause and one action, and dismisses it", async () => {
    const sent: unknown[] = [];
    let isOpen = true;
    openPage({
      [`GET ${AT}/insights`]: () => makeInsightList({ items: isOpen ? [makeInsight()] : [] }),
      [`PATCH ${AT}/insights/${INSIGHT_ID}`]: async (request) => {
        sent.push(await request.json());
        isOpen = false;
        return makeInsight();
      },
    });
    await screen.findByText(/Requests rose to 1,200 an hour/);
    screen.getByText("1,200 instead of 90 to 310");
    screen.getByText("90 %");
    expect(screen.getByRole("link", { name: "Open chart" }).getAttribute("href")).toContain(
      "/analytics?",
    );
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    await screen.findByText("Nothing needs attention.");
    expect(sent).toEqual([{ isDismissed: true }]);
  });

  it("says how much history is missing, and looks again when asked", async () => {
    openPage({
      [`GET ${AT}/insights`]: () =>
        makeInsightList({ history: { hours: 50, needed: 200 }, checkedAt: null }),
      [`POST ${AT}/insights/refresh`]: () => problem(503, "OVERLOADED", "Try again later."),
    });
    await screen.findByText("50 of 200 hours of history");
    screen.getByText("Not checked yet: usage is checked each hour.");
    await userEvent.click(screen.getByRole("button", { name: "Check now" }));
    await screen.findByRole("alert");
  });

  it("offers no change to a role that may not make it", async () => {
    openPage(
      { [`GET ${AT}/insights`]: () => makeInsightList({ items: [makeInsight()] }) },
      "viewer",
    );
    await screen.findByText(/Requests rose/);
    expect(screen.queryByRole("button", { name: "Dismiss" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Check now" })).toBeNull();
  });
});
