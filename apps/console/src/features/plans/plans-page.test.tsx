// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, render, screen } from "@testing-library/react";
import { limits as limitsShape } from "@turnpike/contract/usage";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import { fakeNetwork, makeTestPlatform } from "#platform/render-with-platform.tsx";
import type { Limits } from "#platform/shared-queries.ts";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { PlansPage } from "./plans-page.tsx";

const ACME = "ten_0199f3b0c1d27a4e8f60112233445566";
const FREE = {
  planId: "free",
  version: 2,
  isDefault: true,
  name: "Free",
  description: "",
  currency: "USD",
  pricePerMonth: "0",
  visibility: "public",
  rateLimits: [],
  quotas: [{ meter: "requests", limit: 50_000, kind: "hard" }],
  scopes: [],
};
const LIMITS: Limits = {
  planId: "free",
  planVersion: 1,
  plan: { name: "Free", currency: "USD", pricePerMonth: "5" },
  rateLimits: [],
  quotas: [],
  concurrency: null,
  balances: [{ meter: "requests", environment: "live", used: "12500" }],
};

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

function openPlans(person: { isOperator: boolean; hasTenant: boolean }, limits: Limits = LIMITS) {
  vi.stubGlobal("scrollTo", () => undefined);
  fakeNetwork({
    "GET /plans": () => ({ items: [FREE] }),
    "GET /meters": () => ({
      items: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
    }),
    [`GET /tenants/${ACME}/limits`]: () => limitsShape.parse(limits),
  });
  const queryClient = createQueryClient();
  queryClient.setQueryData(VERIFIED_USER_KEY, {
    user: {
      userId: "usr_0199f3b0c1d27a4e8f60112233445588",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      isOperator: person.isOperator,
    },
    tenants: person.hasTenant
      ? [
          {
            tenantId: ACME,
            name: "Acme",
            slug: "acme",
            role: "owner",
            planId: limits.planId,
            suspendedAt: null,
            createdAt: "2026-11-01T00:00:00.000Z",
          },
        ]
      : [],
  });
  const root = createRootRoute();
  const layout = createRoute({ getParentRoute: () => root, id: "_app" });
  const plans = createRoute({
    getParentRoute: () => layout,
    path: "/plans",
    component: () => <PlansPage search={{}} onSearchChange={vi.fn()} />,
  });
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([plans])]),
    history: createMemoryHistory({ initialEntries: ["/plans"] }),
  });
  render(
    <QueryClientProvider client={queryClient}>
      <PlatformProvider value={makeTestPlatform()}>
        <UiProvider>
          <RouterProvider router={router} />
        </UiProvider>
      </PlatformProvider>
    </QueryClientProvider>,
  );
}

describe("PlansPage", () => {
  it("shows an operator without a tenant what is sold, and where to change it", async () => {
    openPlans({ isOperator: true, hasTenant: false });
    await screen.findByRole("heading", { name: "Free" });
    screen.getByText(/Your customers see these plans/);
    expect(screen.getByRole("link", { name: "catalogue" }).getAttribute("href")).toBe(
      "/docs/configuration#catalog",
    );
    expect(screen.getByRole("link", { name: "All tenants" }).getAttribute("href")).toContain(
      "tab=all",
    );
    expect(screen.queryByText(/You have|ask them/)).toBe(null);
  });

  it("names the tenant to an operator who visits it, instead of saying “you”", async () => {
    openPlans({ isOperator: true, hasTenant: true });
    await screen.findByText("Acme has used 25.0% of this so far (12,500 requests)");
    screen.getByText("Plan of Acme");
    screen.getByText(/Acme keeps the version it started on, at \$5 a month/);
    expect(screen.queryByText(/You have used|Current plan/)).toBe(null);
  });

  it("says “you” to a customer, who has no tabs", async () => {
    openPlans({ isOperator: false, hasTenant: true });
    await screen.findByText("You have used 25.0% of this so far (12,500 requests)");
    screen.getByText("Current plan");
    screen.getByText(/To change plans, contact/);
    expect(screen.queryByRole("tab")).toBe(null);
  });

  it("names a plan that is no longer sold, with its price, to a tenant that is on it", async () => {
    openPlans(
      { isOperator: false, hasTenant: true },
      {
        ...LIMITS,
        planId: "legacy",
        plan: { name: "Legacy", currency: "EUR", pricePerMonth: "19.90" },
      },
    );
    await screen.findByText(/You are on Legacy, at €19.90 a month/);
    expect(screen.queryByText("Current plan")).toBe(null);
  });

  it("asks a customer without a tenant to create one", async () => {
    openPlans({ isOperator: false, hasTenant: false });
    await screen.findByText("You have no tenant yet");
  });
});
