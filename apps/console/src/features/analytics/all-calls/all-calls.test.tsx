// @vitest-environment jsdom

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PlatformProvider } from "#platform/platform.tsx";
import {
  type FakeAnswers,
  fakeNetwork,
  makeTestPlatform,
  problem,
} from "#platform/render-with-platform.tsx";
import { AllCalls } from "./all-calls.tsx";
import type { AllCallsSearch } from "./all-calls-search.view-model.ts";

const ACME = "ten_0199f3b0c1d27a4e8f60112233445566";
const BIRCH = "ten_0199f3b0c1d27a4e8f60112233445577";

function callOf(place: number, tenantId: string, tenantName: string | null, more: object = {}) {
  return {
    requestId: `req_0199f3b0c1d27a4e8f6011223344556${String(place)}`,
    at: "2026-11-21T12:00:00.120Z",
    keyId: "key_0199f3b0c1d27a4e8f60112233445566",
    environment: "live",
    method: "GET",
    route: `/call/${String(place)}`,
    status: 200,
    outcome: "VALID",
    latencyMs: 12.3,
    bytesIn: 10,
    bytesOut: 2_000,
    model: "",
    tokens: null,
    meterId: "requests",
    units: 1,
    tenantId,
    tenantName,
    ...more,
  };
}

function pageOf(items: readonly object[], more: object = {}) {
  return {
    items,
    nextCursor: null,
    searchedFrom: "2026-11-20T12:00:00.000Z",
    keptFrom: "2026-10-22T12:00:00.000Z",
    omitted: 0,
    ...more,
  };
}

const CALLS = [
  callOf(3, ACME, "Acme", { status: 500 }),
  callOf(2, BIRCH, "Birch"),
  callOf(1, BIRCH, null),
];

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(report: ResizeObserverCallback) {
        Reflect.apply(report, undefined, [[], this]);
      }
      observe = vi.fn();
      unobserve = vi.fn();
      disconnect = vi.fn();
    },
  );
  Object.defineProperty(HTMLElement.prototype, "clientHeight", { configurable: true, value: 600 });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

type StageProps = { search: AllCallsSearch; onAddress: (search: AllCallsSearch) => void };

/** The screen with an address that it can change. */
function Stage({ search, onAddress }: StageProps) {
  const [current, setCurrent] = useState(search);
  return (
    <AllCalls
      search={current}
      onSearchChange={(next) => {
        onAddress(next);
        setCurrent(next);
      }}
    />
  );
}

function open(
  answers: FakeAnswers,
  { search = {}, areLogged = true }: { search?: AllCallsSearch; areLogged?: boolean } = {},
) {
  const questions: URLSearchParams[] = [];
  fakeNetwork({
    "GET /meters": () => ({ items: [] }),
    "GET /tenants": () => ({
      items: [{ tenantId: ACME, name: "Acme", slug: "acme" }],
      nextCursor: null,
    }),
    ...answers,
    "GET /calls": (request) => {
      questions.push(new URL(request.url).searchParams);
      return answers["GET /calls"]?.(request) ?? pageOf(CALLS);
    },
  });
  const made = makeTestPlatform();
  const platform = { ...made, config: { ...made.config, calls: { areLogged } } };
  let address = search;
  const remember = (next: AllCallsSearch) => {
    address = next;
  };
  const router = createRouter({
    routeTree: createRootRoute({
      component: () => <Stage search={search} onAddress={remember} />,
    }),
    history: createMemoryHistory(),
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queryClient}>
      <PlatformProvider value={platform}>
        <RouterProvider router={router} />
      </PlatformProvider>
    </QueryClientProvider>,
  );
  return { questions, address: () => address };
}

describe("the operator's calls", () => {
  it("say how they are switched on where they are not logged, and ask for none", async () => {
    const { questions } = open({}, { areLogged: false });
    await screen.findByText("Calls of all tenants are not logged");
    expect(screen.getByRole("figure", { name: "turnpike.yaml" }).textContent).toContain(
      "callsDays",
    );
    expect(questions).toEqual([]);
  });

  it("name the tenant of each call, and ask by the filters of the address", async () => {
    const { questions } = open(
      {},
      { search: { status_class: "5xx", tenants: `${ACME},${BIRCH}` } },
    );
    const table = await screen.findByRole("table", { name: "Calls of all tenants" });
    expect(within(table).getByRole("columnheader", { name: "Tenant" })).toBeTruthy();
    expect(within(table).getByText("Acme")).toBeTruthy();
    expect(within(table).getByText(BIRCH)).toBeTruthy();
    expect(questions[0]?.get("status_class")).toBe("5xx");
    expect(questions[0]?.get("tenant")).toBe(`${ACME},${BIRCH}`);
  });

  it("say so while ClickHouse is away, and how many calls it did not take", async () => {
    open({
      "GET /calls": () =>
        problem(503, "CLICKHOUSE_UNAVAILABLE", "ClickHouse does not answer right now."),
    });
    await screen.findByText("The calls could not be loaded.");
    cleanup();
    open({ "GET /calls": () => pageOf(CALLS, { omitted: 1_234 }) });
    await screen.findByText(/1,234 of all tenants could not be logged in this range/);
  });

  it("open one with its details and the way to its tenant, and narrow the list to it", async () => {
    const [call] = CALLS;
    const { address, questions } = open({
      [`GET /tenants/${ACME}`]: () => ({ tenantId: ACME, name: "Acme", slug: "acme" }),
      "GET /calls": (request) =>
        new URL(request.url).searchParams.has("requestId") ? pageOf([call ?? {}]) : pageOf(CALLS),
    });
    const table = await screen.findByRole("table", { name: "Calls of all tenants" });
    const [first] = within(table).getAllByRole("button");
    await userEvent.click(first ?? expect.fail());
    const dialog = await screen.findByRole("dialog", { name: "Call" });
    const link = await within(dialog).findByRole("link", { name: "Acme" });
    expect(link.getAttribute("href")).toBe("/overview?tenant=acme");
    expect(address().request).toBe(call?.requestId);
    await userEvent.click(within(dialog).getByRole("button", { name: "Calls of this tenant" }));
    expect(address()).toEqual({ tenants: ACME });
    await vi.waitFor(() => expect(questions.at(-1)?.get("tenant")).toBe(ACME));
  });
});
