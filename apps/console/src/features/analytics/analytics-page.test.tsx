// @vitest-environment jsdom
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { eventually } from "@turnpike/testkit/eventually";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type FakeAnswer,
  type FakeAnswers,
  problem,
  renderWithPlatform,
} from "#platform/render-with-platform.tsx";
import { makePreviousPeriod, makeUsageRow } from "#platform/usage-report.fixture.ts";
import { LIVE_INTERVAL_MS, type TenantId } from "./analytics.queries.ts";
import { AnalyticsPage } from "./analytics-page.tsx";
import type { AnalyticsSearch } from "./analytics-search.view-model.ts";
import {
  answerNoUsage,
  answerUsage,
  KEY_ID,
  KEYS,
  METERS,
  METERS_OF_EVENTS,
} from "./fake-usage.fixture.ts";

const TENANT = "ten_0199f3b0c1d27a4e8f60112233445566" as TenantId;
const NOTHING = { items: [], nextCursor: null };
const USER = "usr_0199f3b0c1d27a4e8f60112233445566";
const USAGE = `GET /tenants/${TENANT}/usage`;

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #report: ResizeObserverCallback;
      constructor(report: ResizeObserverCallback) {
        this.#report = report;
      }
      observe(): void {
        Reflect.apply(this.#report, undefined, [[{ contentRect: { width: 1000 } }], this]);
      }
      unobserve = vi.fn();
      disconnect = vi.fn();
    },
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Stage = {
  /** Search parameters of every usage question so far. */
  questions: URLSearchParams[];
  /** The current search parameters of the address. */
  address: () => AnalyticsSearch;
};

type StageProps = { search: AnalyticsSearch; onAddress: (search: AnalyticsSearch) => void };

/** The page with an address that it can change. */
function StagedPage({ search, onAddress }: StageProps) {
  const [current, setCurrent] = useState(search);
  return (
    <AnalyticsPage
      tenantId={TENANT}
      userId={USER}
      mayChangeAlerts
      mayEndExportsOfOthers
      maySaveViews
      maySeeCosts
      search={current}
      onSearchChange={(next) => {
        onAddress(next);
        setCurrent(next);
      }}
    />
  );
}

function openPage(
  answer: (request: Request) => FakeAnswer = answerUsage,
  search: AnalyticsSearch = {},
  meters: object = METERS,
): Stage {
  const questions: URLSearchParams[] = [];
  let address = search;
  const answers: FakeAnswers = {
    [USAGE]: (request) => {
      questions.push(new URL(request.url).searchParams);
      return answer(request);
    },
    [`GET /tenants/${TENANT}/keys`]: () => KEYS,
    "GET /meters": () => meters,
    [`GET /tenants/${TENANT}/alerts`]: () => ({ items: [] }),
    [`GET /tenants/${TENANT}/documents/analytics-views`]: () => NOTHING,
    [`GET /tenants/${TENANT}/documents/my-analytics-views-${USER.slice(4)}`]: () => NOTHING,
    [`GET /tenants/${TENANT}/exports`]: () => NOTHING,
  };
  const remember = (next: AnalyticsSearch) => {
    address = next;
  };
  // Charts have a link to questions about them.
  const root = createRootRoute({
    component: () => <StagedPage search={search} onAddress={remember} />,
  });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  renderWithPlatform(<RouterProvider router={router} />, answers);
  return { questions, address: () => address };
}

const findTable = (name: string | RegExp) => screen.findByRole("table", { name });
const rowTexts = (table: HTMLElement) =>
  within(table)
    .getAllByRole("row")
    .map((row) => row.textContent);

describe("AnalyticsPage", () => {
  it("shows every status with its exact number and share", async () => {
    openPage();
    expect(rowTexts(await findTable("Requests by status"))).toEqual([
      "StatusRequestsShare",
      "2009,12697.6%",
      "4042132.3%",
      "42980.1%",
    ]);
  });

  it("asks about the last 24 hours by the hour, up to now", async () => {
    const { questions } = openPage();
    await findTable("Requests by status");
    const figures = questions.find((question) => question.get("measures")?.includes("latency_p99"));
    expect(figures?.get("grain")).toBe("hour");
    expect(figures?.get("compare")).toBe("previous");
    expect(figures?.has("to")).toBe(false);
    const ageMs = Date.now() - Date.parse(figures?.get("from") ?? "");
    expect(ageMs).toBeGreaterThanOrEqual(86_400_000);
    expect(ageMs).toBeLessThan(86_400_000 + 60_000);
  });

  it("filters everything by what is clicked, keeps that in the address, and undoes it", async () => {
    const { questions, address } = openPage();
    const table = await findTable("Requests by status");
    await userEvent.click(within(table).getByRole("button", { name: "404" }));
    expect(address()).toEqual({ status: 404 });
    await eventually(() =>
      expect(
        questions.filter((question) => question.get("status") === "404").length,
      ).toBeGreaterThanOrEqual(7),
    );
    await userEvent.click(screen.getByRole("button", { name: "Remove filter Status 404" }));
    expect(address()).toEqual({});
  });

  it("loads filter choices only when someone comes near the filters", async () => {
    const { questions } = openPage();
    await findTable("Requests by status");
    const isChoice = (question: URLSearchParams) => question.get("limit") === "100";
    expect(questions.some(isChoice)).toBe(false);
    await userEvent.click(screen.getByRole("combobox", { name: "Filter by Route" }));
    await screen.findByRole("option", { name: "/v1/quote" });
    expect(questions.some(isChoice)).toBe(true);
  });

  it("shows keys by name and filters by their id", async () => {
    const { address } = openPage();
    const table = await findTable("Top keys");
    await userEvent.click(await within(table).findByRole("button", { name: /Production/ }));
    expect(address()).toEqual({ key: KEY_ID });
  });

  it("lists denials without the allowed calls", async () => {
    openPage();
    expect(rowTexts(await findTable("Denials by reason"))).toEqual([
      "ReasonDeniedShare",
      "Rate limitedRATE_LIMITED8100.0%",
    ]);
  });

  it("folds a long list, keeps the filtered values visible, and shows all of it on request", async () => {
    const statuses = Array.from({ length: 12 }, (_, place) => String(500 + place));
    const { address } = openPage((request) => {
      const report = answerUsage(request);
      const isOfStatuses = new URL(request.url).searchParams.get("dimensions") === "status";
      const rows = statuses.map((status, place) =>
        makeUsageRow(null, { status }, { requests: 100 - place }),
      );
      return isOfStatuses ? { ...report, rows } : report;
    });
    const table = await findTable("Requests by status");
    expect(rowTexts(table)).toHaveLength(1 + 8);
    await userEvent.click(
      screen.getByRole("button", { name: "Show all 12 of Requests by status" }),
    );
    expect(rowTexts(table)).toHaveLength(1 + 12);
    await userEvent.click(within(table).getByRole("button", { name: "511" }));
    expect(address()).toEqual({ status: 511 });
    await userEvent.click(screen.getByRole("button", { name: /Show fewer/ }));
    expect(rowTexts(table)).toHaveLength(1 + 9);
  });

  it("explains on the spot what the success rate counts", async () => {
    openPage();
    await screen.findByText("100.0%", { selector: "[aria-hidden]" });
    const card = screen.getByRole("region", { name: "Success rate" });
    within(card).getByText("without a 5xx response");
    await userEvent.click(within(card).getByRole("button", { name: "What Success rate means" }));
    await screen.findByText(/4xx such as 404 counts as success/);
  });

  it("writes the range chosen in a chart into the address", async () => {
    const { address } = openPage();
    const chart = await screen.findByRole("application", { name: /Requests by outcome/ });
    chart.focus();
    await userEvent.keyboard("{Home}{ArrowRight}{Shift>}{ArrowRight}{/Shift}{Enter}");
    expect(address()).toEqual({
      from: "2026-11-21T10:00:00.000Z",
      to: "2026-11-21T12:00:00.000Z",
    });
  });

  it("remembers in the address that a chart is shown as a table", async () => {
    const { address } = openPage();
    await userEvent.click(
      await screen.findByRole("button", { name: "Latency percentiles: view as table" }),
    );
    expect(address()).toEqual({ tables: "latency" });
    expect(rowTexts(await findTable(/Latency percentiles/)).length).toBe(4);
  });

  it("says why it is empty and how to get data", async () => {
    const { address } = openPage(answerNoUsage);
    await screen.findByText("No requests in the last 24 hours");
    await screen.findByText(/curl/);
    await userEvent.click(screen.getByRole("button", { name: "Show 90 days" }));
    expect(address()).toEqual({ range: "90d" });
  });

  it("distinguishes no data at all from no match", async () => {
    const { address } = openPage(answerNoUsage, { status: 404 });
    await screen.findByText("No requests in this range match the filters.");
    const [clear] = screen.getAllByRole("button", { name: "Clear filters" });
    await userEvent.click(clear as HTMLElement);
    expect(address()).toEqual({});
  });

  it("limits a failed report to its own card and retries on request", async () => {
    let isUp = false;
    openPage((request) =>
      !isUp && new URL(request.url).searchParams.get("dimensions") === "route"
        ? problem(503, "DATABASE_UNAVAILABLE", "The database cannot be reached.")
        : answerUsage(request),
    );
    await findTable("Requests by status");
    const card = screen.getByRole("region", { name: "Top routes" });
    await within(card).findByText("The database cannot be reached.");
    isUp = true;
    await userEvent.click(within(card).getByRole("button", { name: "Try again" }));
    await findTable("Top routes");
  });

  it("shows a refusal and no number to someone who may not see this tenant", async () => {
    openPage(() => problem(404, "RESOURCE_NOT_FOUND", "There is no such tenant."));
    expect((await screen.findAllByText("There is no such tenant.")).length).toBeGreaterThan(1);
    expect(screen.queryByRole("table")).toBe(null);
    const meters = await screen.findByRole("list", { name: "Meters" });
    await waitFor(() => expect(meters.querySelector("[data-skeleton]")).toBe(null));
  });

  it("says when an answer is partial", async () => {
    openPage((request) => ({ ...answerUsage(request), truncated: true }));
    await screen.findByText(/Showing the first 2; shares are of all 9,347/);
    expect((await screen.findAllByText(/the most recent data is missing/)).length).toBeGreaterThan(
      0,
    );
  });

  it("shows no comparison with data past its retention, and says why", async () => {
    const answer = (request: Request) => ({
      ...answerUsage(request),
      previous: makePreviousPeriod({ totals: { requests: 1, "meter:requests": "1" } }),
      keptFrom: "2026-11-20T10:00:00.000Z",
    });
    openPage(answer);
    const notice = /No comparison: usage is kept from Nov 20/;
    // From the figures and from the meters.
    await expect.poll(() => screen.queryAllByText(notice).length).toBe(2);
    expect(screen.queryByText(/^\+.*%$/)).toBe(null);
  });

  it("refreshes every five seconds until it is paused", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { questions, address } = openPage();
    await findTable("Requests by status");
    const before = questions.length;
    await vi.advanceTimersByTimeAsync(LIVE_INTERVAL_MS + 200);
    await eventually(() => expect(questions.length).toBeGreaterThanOrEqual(before + 6));
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    await user.click(screen.getByRole("button", { name: "Live: pause updates" }));
    expect(address()).toEqual({ live: "off" });
    const paused = questions.length;
    await vi.advanceTimersByTimeAsync(LIVE_INTERVAL_MS * 3);
    expect(questions.length).toBe(paused);
  });

  it("does not refresh a range that is over", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { questions } = openPage(answerUsage, {
      from: "2026-01-01T00:00:00.000Z",
      to: "2026-01-02T00:00:00.000Z",
    });
    await findTable("Requests by status");
    const before = questions.length;
    await vi.advanceTimersByTimeAsync(LIVE_INTERVAL_MS * 3);
    expect(questions.length).toBe(before);
    expect(screen.queryByRole("button", { name: /^Live|^Paused/ })).toBe(null);
  });
});

describe("usage by meter", () => {
  it("opens a meter, breaks it down by a dimension of its events, and keeps that in the address", async () => {
    const { questions, address } = openPage(answerUsage, { status: 404 }, METERS_OF_EVENTS);
    await userEvent.click(await screen.findByRole("button", { name: /^Tokens/ }));
    expect(address()).toEqual({ status: 404, meter: "tokens" });
    expect(screen.getByText(/these filters do not apply: Status/)).toBeTruthy();
    const parts = await findTable("Tokens by model");
    expect(rowTexts(parts)).toEqual([
      "modeltokenShare",
      "small1,00080.0%",
      "large50040.0%",
      "Unknown25020.0%",
    ]);
    await userEvent.click(within(parts).getByRole("button", { name: "small" }));
    expect(address()).toMatchObject({ meter: "tokens", event: "model:small" });
    await screen.findByRole("button", { name: /Remove filter\s*model\s*small/ });
    const asked = questions.filter((question) => question.get("measures") === "meter:tokens");
    expect(asked.some((question) => question.get("event") === "model:small")).toBe(true);
    expect(asked.every((question) => !question.has("status"))).toBe(true);
  });

  it("shows no shares for a meter of distinct values, and never asks for its values by the minute", async () => {
    const search = { range: "1h", meter: "users" };
    const { questions } = openPage(answerUsage, search, METERS_OF_EVENTS);
    expect(rowTexts(await findTable("Users by model"))[0]).toBe("modeluser");
    const asked = questions.filter((question) => question.get("measures") === "meter:users");
    expect(asked.map((question) => question.get("grain"))).not.toContain("minute");
    await userEvent.click(
      within(screen.getByRole("region", { name: "Users: over time" })).getByRole("button", {
        name: /table/i,
      }),
    );
    expect(await findTable(/^Users over time/)).toBeTruthy();
  });

  it("widens a range shorter than 15 minutes where nothing finer is stored, and says so", async () => {
    const range = { from: "2026-11-21T10:17:00.000Z", to: "2026-11-21T10:19:00.000Z" };
    const search = { ...range, timeZone: "UTC", meter: "users" };
    const { questions } = openPage(answerUsage, search, METERS_OF_EVENTS);
    expect(await screen.findByText(/so shown for .*10:15 – 10:30/)).toBeTruthy();
    await findTable("Users by model");
    const rangesOf = (meter: string) =>
      questions
        .filter((question) => question.get("measures") === meter)
        .map((question) => `${question.get("from") ?? ""} ${question.get("to") ?? ""}`);
    const quarter = "2026-11-21T10:15:00.000Z 2026-11-21T10:30:00.000Z";
    expect(new Set(rangesOf("meter:users"))).toEqual(new Set([quarter]));
    expect(new Set(rangesOf("meter:tokens"))).toEqual(new Set([`${range.from} ${range.to}`]));
  });

  it("says that a breakdown does not follow the key filter although the sum does", async () => {
    const search = { meter: "tokens", key: KEY_ID };
    const { questions } = openPage(answerUsage, search, METERS_OF_EVENTS);
    expect(await screen.findByText(/The numbers by model ignore these filters: Key/)).toBeTruthy();
    expect(screen.queryByText(/say nothing about them/)).toBe(null);
    await findTable("Tokens by model");
    const asked = questions.filter((question) => question.get("measures") === "meter:tokens");
    for (const question of asked) {
      expect(question.has("key")).toBe(!question.has("dimensions", "event:model"));
    }
  });

  it("shows meters of events even when there are no calls", async () => {
    openPage(answerNoUsage, {}, METERS_OF_EVENTS);
    expect(await screen.findByText(/No requests in the last/)).toBeTruthy();
    expect(await screen.findByRole("button", { name: /^Tokens/ })).toBeTruthy();
  });
});
