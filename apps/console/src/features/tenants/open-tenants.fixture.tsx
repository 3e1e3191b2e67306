import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
  retainSearchParams,
} from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { verifyTokenResponse } from "@turnpike/contract/auth";
import { plan } from "@turnpike/contract/catalog";
import { limits } from "@turnpike/contract/limits";
import type { Role } from "@turnpike/domain/access/scopes";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { vi } from "vitest";
import { ToastArea } from "#components/toast-area.tsx";
import { parseEnvironmentSearch } from "#platform/current-environment.ts";
import { parseTenantSearch } from "#platform/current-tenant.ts";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import {
  type FakeAnswers,
  fakeNetwork,
  makeTestPlatform,
} from "#platform/render-with-platform.tsx";
import { makeUser } from "#platform/session/fake-session.ts";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { AllTenantsPage } from "./operator/all-tenants-page.tsx";
import { HealthPage } from "./operator/health-page.tsx";
import { OperatorHomePage } from "./operator/home/operator-home-page.tsx";
import { OperatorInsightsPage } from "./operator/insights-page.tsx";
import { parseOperatorSearch } from "./operator/operator-search.view-model.ts";
import { OutboxPage } from "./operator/outbox-page.tsx";
import { ServiceKeysPage } from "./operator/service-keys-page.tsx";
import { TenantsPage } from "./tenants-page.tsx";
import { parseTenantsSearch } from "./tenants-search.view-model.ts";

export const ACME = "ten_0199f3b0c1d27a4e8f60112233445566";
export const BIRCH = "ten_0199f3b0c1d27a4e8f60112233445577";
export const ADA = "usr_0199f3b0c1d27a4e8f60112233445588";
export const BOB = "usr_0199f3b0c1d27a4e8f60112233445599";
export const EVE = "usr_0199f3b0c1d27a4e8f601122334455aa";
const BEGAN = "2026-11-01T00:00:00.000Z";

/** The response of `/auth/verify` for Ada: owner of Acme unless given otherwise, and viewer of Birch. */
export function makeVerified(input: { role?: Role; slug?: string; isOperator?: boolean } = {}) {
  const ownTenant = (tenantId: string, name: string, slug: string, role: Role) => ({
    ...{ tenantId, name, slug, role },
    planId: "free",
    suspendedAt: null,
    logoId: null,
    createdAt: BEGAN,
  });
  return verifyTokenResponse.parse({
    user: {
      userId: ADA,
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      isOperator: input.isOperator === true,
    },
    tenants: [
      ownTenant(ACME, "Acme", input.slug ?? "acme", input.role ?? "owner"),
      ownTenant(BIRCH, "Birch", "birch", "viewer"),
    ],
  });
}

/** Adds what jsdom lacks to the test's window. Undone by `vi.unstubAllGlobals`. */
export function stubWindow(): void {
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  Element.prototype.scrollIntoView = () => undefined;
}

/** The operator's screens. */
const OPERATOR_PAGES = {
  "/operator": OperatorHomePage,
  "/operator/tenants": AllTenantsPage,
  "/operator/insights": OperatorInsightsPage,
  "/operator/service-keys": ServiceKeysPage,
  "/operator/outbox": OutboxPage,
  "/operator/health": HealthPage,
} as const;

export type OpenTenantsInput = {
  /** Left out: `/tenants`. */
  path?: keyof typeof OPERATOR_PAGES;
  /** Search parameters, such as `?tab=members`. */
  search?: string;
  verified?: ReturnType<typeof makeVerified>;
  answers?: FakeAnswers;
  mailDelivers?: boolean;
  isDemo?: boolean;
};

/** Opens `/tenants`, or a screen of the operator, for a signed-in person, on a router that keeps tenant and environment as the real one does. */
export function openTenants(input: OpenTenantsInput = {}) {
  fakeNetwork({ ...QUIET, ...input.answers });
  const made = makeTestPlatform();
  const platform = {
    ...made,
    config: {
      ...made.config,
      gateway: { isDemo: input.isDemo === true, refusesTestKeys: false },
      mail: { delivers: input.mailDelivers !== false },
    },
  };
  platform.session.change({ user: makeUser() });
  const queryClient = createQueryClient();
  queryClient.setDefaultOptions({ queries: { retry: false, staleTime: 60_000 } });
  queryClient.setQueryData(VERIFIED_USER_KEY, input.verified ?? makeVerified());
  const root = createRootRoute({ component: Outlet });
  const layout = createRoute({
    getParentRoute: () => root,
    id: "_app",
    validateSearch: (search: Record<string, unknown>) => ({
      ...parseTenantSearch(search),
      ...parseEnvironmentSearch(search),
    }),
    search: { middlewares: [retainSearchParams(["tenant", "environment"])] },
    component: Outlet,
  });
  const tenants = createRoute({
    getParentRoute: () => layout,
    path: "/tenants",
    validateSearch: parseTenantsSearch,
    component: function TenantsRoute() {
      const search = tenants.useSearch();
      const navigate = tenants.useNavigate();
      return (
        <TenantsPage
          search={search}
          onSearchChange={(next) => {
            void navigate({
              to: "/tenants",
              search: ({ tenant }) => ({ ...next, ...(tenant === undefined ? {} : { tenant }) }),
            });
          }}
        />
      );
    },
  });
  const operated = Object.entries(OPERATOR_PAGES).map(([path, Screen]) => {
    const route = createRoute({
      getParentRoute: () => layout,
      path,
      validateSearch: parseOperatorSearch,
      component: function OperatorRoute() {
        const navigate = route.useNavigate();
        return (
          <Screen
            search={route.useSearch()}
            onSearchChange={(next) => void navigate({ to: ".", search: () => next })}
          />
        );
      },
    });
    return route;
  });
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([tenants, ...operated])]),
    history: createMemoryHistory({
      initialEntries: [`${input.path ?? "/tenants"}${input.search ?? ""}`],
    }),
  });
  render(
    <QueryClientProvider client={queryClient}>
      <PlatformProvider value={platform}>
        <UiProvider>
          <RouterProvider router={router} />
          <ToastArea />
        </UiProvider>
      </PlatformProvider>
    </QueryClientProvider>,
  );
  return { readSearch: () => router.state.location.search as Record<string, unknown> };
}

/** An empty page of a list. */
export const NOTHING = { items: [], nextCursor: null };

const limitsOf = () =>
  limits.parse({
    planId: "free",
    planVersion: 1,
    plan: { name: "Free", currency: "USD", pricePerMonth: "0" },
    rateLimits: [],
    concurrency: null,
    quotas: [
      {
        meter: "requests",
        environment: "live",
        kind: "hard",
        limit: 5000,
        used: "1204",
        leased: "0",
        locked: "0",
        forfeited: "0",
        remaining: "3796",
        periodStart: BEGAN,
        resetAt: "2026-12-01T00:00:00.000Z",
      },
    ],
    balances: [{ meter: "requests", environment: "live", used: "1204" }],
  });

const makePlan = (planId: string, name: string, pricePerMonth: string) =>
  plan.parse({
    planId,
    version: 1,
    isDefault: planId === "free",
    name,
    description: "",
    currency: "USD",
    pricePerMonth,
    visibility: "public",
    rateLimits: [],
    quotas: [],
    concurrency: null,
    scopes: [],
    phases: [{ rateCards: [] }],
    isAddOn: false,
    archivedAt: null,
  });

/** The requests that every tab makes. */
const QUIET: FakeAnswers = {
  [`GET /tenants/${ACME}/limits`]: limitsOf,
  [`GET /tenants/${BIRCH}/limits`]: limitsOf,
  "GET /plans": () => ({ items: [makePlan("free", "Free", "0"), makePlan("pro", "Pro", "49")] }),
  "GET /meters": () => ({ items: [] }),
};
