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
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import { makeTestPlatform } from "#platform/render-with-platform.tsx";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { TenantGate } from "./tenant-gate.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function openWithoutTenant(isOperator: boolean) {
  vi.stubGlobal("scrollTo", () => undefined);
  const queryClient = createQueryClient();
  queryClient.setQueryData(VERIFIED_USER_KEY, {
    user: {
      userId: "usr_0199f3b0c1d27a4e8f60112233445588",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      isOperator,
    },
    tenants: [],
  });
  const root = createRootRoute();
  const layout = createRoute({
    getParentRoute: () => root,
    id: "_app",
    component: () => <TenantGate>{() => "a tenant"}</TenantGate>,
  });
  const screens = createRoute({ getParentRoute: () => layout, path: "/overview" });
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([screens])]),
    history: createMemoryHistory({ initialEntries: ["/overview"] }),
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

describe("TenantGate", () => {
  it("asks a customer without a tenant to create theirs", async () => {
    openWithoutTenant(false);
    await screen.findByText("You have no tenant yet");
    screen.getByRole("button", { name: "Create tenant" });
    expect(screen.queryByRole("link")).toBe(null);
  });

  it("tells an operator without one that tenants are customers, and where they are", async () => {
    openWithoutTenant(true);
    await screen.findByText("You do not belong to a tenant");
    screen.getByText(/Tenants are your customers/);
    screen.getByRole("button", { name: "Create tenant" });
    const all = screen.getByRole("link", { name: "All tenants" });
    expect(all.getAttribute("href")).toContain("/operator/tenants");
  });
});
