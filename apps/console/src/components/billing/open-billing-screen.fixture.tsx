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
import type { Role } from "@turnpike/domain/access/scopes";
import { UiProvider } from "@turnpike/ui/ui-provider";
import type { ReactNode } from "react";
import { vi } from "vitest";
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
import { ToastArea } from "../toast-area.tsx";
import { TENANT_ID } from "./billing-answers.fixture.ts";

export type OpenScreenInput<Search extends object> = {
  /** With its search parameters: `/billings?line=1`. */
  address: string;
  parseSearch: (search: Record<string, unknown>) => Search;
  screen: (search: Search, onSearchChange: (search: Search) => void) => ReactNode;
  answers: FakeAnswers;
  /** Left out: owner. Null: the person has no tenant. */
  role?: Role | null;
  isOperator?: boolean;
  planId?: string;
  contact?: string;
};

/** Opens a screen for Ada, who belongs to Acme, on a router that keeps tenant and environment as the real one does. */
export function openScreen<Search extends object>(input: OpenScreenInput<Search>) {
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("matchMedia", () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  const verified = verifyTokenResponse.parse({
    user: {
      userId: "usr_0199f3b0c1d27a4e8f60112233445588",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      isOperator: input.isOperator === true,
    },
    tenants:
      input.role === null
        ? []
        : [
            {
              tenantId: TENANT_ID,
              name: "Acme",
              slug: "acme",
              role: input.role ?? "owner",
              planId: input.planId ?? "pro",
              suspendedAt: null,
              logoId: null,
              createdAt: "2026-11-01T00:00:00.000Z",
            },
          ],
  });
  // A change of the plan asks again who is signed in.
  fakeNetwork({ "POST /auth/verify": () => verified, ...input.answers });
  const queryClient = createQueryClient();
  const defaults = queryClient.getDefaultOptions();
  queryClient.setDefaultOptions({ ...defaults, queries: { ...defaults.queries, retry: false } });
  queryClient.setQueryData(VERIFIED_USER_KEY, verified);
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
  const [path = "/"] = input.address.split("?");
  const screen = createRoute({
    getParentRoute: () => layout,
    path,
    validateSearch: input.parseSearch,
    component: function ScreenRoute() {
      const navigate = screen.useNavigate();
      // The layout's own parameters are left to it.
      const {
        tenant: _,
        environment: __,
        ...search
      } = screen.useSearch() as Record<string, unknown>;
      return input.screen(input.parseSearch(search), (next) => {
        void navigate({ to: ".", search: () => next as never });
      });
    },
  });
  const others = ["/plans", "/billings", "/analytics", "/tenants"]
    .filter((other) => other !== path)
    .map((other) => createRoute({ getParentRoute: () => layout, path: other }));
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([screen, ...others])]),
    history: createMemoryHistory({ initialEntries: [input.address] }),
  });
  const platform = makeTestPlatform();
  platform.session.change({ user: makeUser() });
  render(
    <QueryClientProvider client={queryClient}>
      <PlatformProvider
        value={{
          ...platform,
          config: { ...platform.config, contact: input.contact ?? null },
        }}
      >
        <UiProvider>
          <RouterProvider router={router} />
          <ToastArea />
        </UiProvider>
      </PlatformProvider>
    </QueryClientProvider>,
  );
  return { readSearch: () => router.state.location.search as Record<string, unknown> };
}
