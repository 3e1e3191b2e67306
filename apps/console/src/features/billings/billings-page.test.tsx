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
import { limits } from "@turnpike/contract/usage";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import { fakeNetwork, makeTestPlatform } from "#platform/render-with-platform.tsx";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { BillingsPage } from "./billings-page.tsx";

const ACME = "ten_0199f3b0c1d27a4e8f60112233445566";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

function openBillings(): void {
  vi.stubGlobal("scrollTo", () => undefined);
  fakeNetwork({
    // Sold for another price by now, under another name.
    "GET /plans": () => ({
      items: [
        {
          ...{ planId: "team", version: 2, isDefault: true, name: "Team XL", description: "" },
          ...{ currency: "USD", pricePerMonth: "99", visibility: "public" },
          ...{ rateLimits: [], quotas: [], concurrency: null, scopes: [] },
        },
      ],
    }),
    "GET /meters": () => ({ items: [] }),
    [`GET /tenants/${ACME}/limits`]: () =>
      limits.parse({
        planId: "team",
        planVersion: 1,
        plan: { name: "Team", currency: "EUR", pricePerMonth: "49.90" },
        rateLimits: [],
        quotas: [],
        concurrency: null,
        balances: [],
      }),
  });
  const queryClient = createQueryClient();
  queryClient.setQueryData(VERIFIED_USER_KEY, {
    user: {
      userId: "usr_0199f3b0c1d27a4e8f60112233445588",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      isOperator: false,
    },
    tenants: [
      {
        tenantId: ACME,
        name: "Acme",
        slug: "acme",
        role: "owner",
        planId: "team",
        suspendedAt: null,
        createdAt: "2026-11-01T00:00:00.000Z",
      },
    ],
  });
  const root = createRootRoute();
  const layout = createRoute({ getParentRoute: () => root, id: "_app" });
  const routes = ["/billings", "/plans"].map((path) =>
    createRoute({ getParentRoute: () => layout, path, component: BillingsPage }),
  );
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren(routes)]),
    history: createMemoryHistory({ initialEntries: ["/billings"] }),
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

describe("BillingsPage", () => {
  it("names the plan and the price of the tenant's own version, not of the one that is sold now", async () => {
    openBillings();
    await screen.findByText("€49.90 a month");
    screen.getByText("Team");
    expect(screen.queryByText(/\$99|Team XL/)).toBe(null);
  });
});
