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
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { Notification } from "@turnpike/contract/notifications";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, beforeEach, vi } from "vitest";
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
import { AppFrame } from "./app-frame.tsx";

export const ACME = "ten_0199f3b0c1d27a4e8f60112233445566";
export const BIRCH = "ten_0199f3b0c1d27a4e8f60112233445577";
export const NONE = { items: [], nextCursor: null };
export const QUIET: FakeAnswers = {
  [`GET /tenants/${ACME}/notifications`]: () => NONE,
  [`GET /tenants/${BIRCH}/notifications`]: () => NONE,
};

export const tenant = (tenantId: string, name: string, role: string) => ({
  tenantId,
  name,
  slug: name.toLowerCase(),
  role,
  planId: "free",
  suspendedAt: null,
  logoId: null,
  createdAt: "2026-11-21T00:00:00.000Z",
});
export const TENANTS = [tenant(ACME, "Acme", "owner"), tenant(BIRCH, "Birch", "viewer")];

export const news = (id: string, title: string, link: string | null): Notification => ({
  notificationId: `ntf_${id}`,
  tenantId: ACME as Notification["tenantId"],
  userId: null,
  kind: "usage.threshold",
  title,
  body: "80% of the quota is used.",
  link,
  createdAt: "2026-11-21T00:00:00.000Z",
  readAt: null,
});

/** What jsdom lacks for the frame, and a clean page for each test. */
export function stageFrames(): void {
  beforeEach(() => {
    vi.stubGlobal("scrollTo", () => undefined);
    Element.prototype.scrollIntoView = () => undefined;
  });

  afterEach(() => {
    cleanup();
    localStorage.clear();
    delete document.documentElement.dataset["theme"];
    vi.unstubAllGlobals();
  });
}

type Options = {
  path?: string;
  tenants?: object[];
  movedTenants?: object[];
  isOperator?: boolean;
  answers?: FakeAnswers;
};

/** The frame on routes of its own, each with a heading. */
export async function openFrame({
  path = "/overview",
  tenants = TENANTS,
  movedTenants,
  isOperator,
  answers,
}: Options = {}) {
  fakeNetwork(answers ?? QUIET);
  const platform = makeTestPlatform();
  platform.session.change({ user: makeUser() });
  const queryClient = createQueryClient();
  queryClient.setQueryData(VERIFIED_USER_KEY, {
    user: {
      userId: "usr_0199f3b0c1d27a4e8f60112233445588",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada Lovelace",
      isOperator: isOperator === true,
    },
    tenants,
    movedTenants,
  });
  const root = createRootRoute({ component: Outlet });
  const layout = createRoute({
    getParentRoute: () => root,
    id: "_app",
    validateSearch: (search: Record<string, unknown>) => ({
      ...parseTenantSearch(search),
      ...parseEnvironmentSearch(search),
    }),
    search: { middlewares: [retainSearchParams(["tenant", "environment"])] },
    component: () => (
      <AppFrame>
        <Outlet />
      </AppFrame>
    ),
  });
  const paths = ["/overview", "/api-keys", "/analytics", "/plans", "/billings", "/tenants"];
  const screens = [...paths, "/operator/tenants"].map((screenPath) =>
    createRoute({
      getParentRoute: () => layout,
      path: screenPath,
      component: () => <h1>Screen {screenPath}</h1>,
    }),
  );
  const framed = createRoute({
    getParentRoute: () => layout,
    path: "/framed",
    component: () => (
      <AppFrame>
        <h1>Framed</h1>
      </AppFrame>
    ),
  });
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([...screens, framed])]),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  render(
    <QueryClientProvider client={queryClient}>
      <UiProvider>
        <PlatformProvider value={platform}>
          <RouterProvider router={router} />
        </PlatformProvider>
      </UiProvider>
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { level: 1 });
  return { platform, router, user: userEvent.setup() };
}
