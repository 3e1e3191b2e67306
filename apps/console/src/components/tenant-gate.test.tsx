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
import type { TenantId } from "@turnpike/domain/ids/ids";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { MovedTenant } from "#platform/current-tenant.ts";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import { makeTestPlatform } from "#platform/render-with-platform.tsx";
import { VERIFIED_USER_KEY, type VerifiedUser } from "#platform/verified-user.ts";
import { TenantGate } from "./tenant-gate.tsx";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const ACME: VerifiedUser["tenants"][number] = {
  tenantId: "ten_0199f3b0c1d27a4e8f60112233445566" as TenantId,
  ...{ name: "Acme", slug: "acme" },
  ...{ role: "owner", planId: "free", suspendedAt: null, logoId: null },
  createdAt: "2026-11-21T00:00:00.000Z",
};
const BIRCH: MovedTenant = {
  tenantId: "ten_0199f3b0c1d27a4e8f60112233445577" as TenantId,
  ...{ name: "Birch", slug: "birch" },
  ...{ cell: "west", consoleUrl: "https://west.example.com", isMoving: false },
};

type Options = {
  isOperator?: boolean;
  tenants?: VerifiedUser["tenants"];
  movedTenants?: MovedTenant[];
  path?: string;
};

function open({ isOperator = false, tenants = [], movedTenants, path = "/overview" }: Options) {
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
    tenants,
    movedTenants,
  });
  const root = createRootRoute();
  const layout = createRoute({
    getParentRoute: () => root,
    id: "_app",
    component: () => <TenantGate>{({ name }) => `the screen of ${name}`}</TenantGate>,
  });
  const screens = createRoute({ getParentRoute: () => layout, path: "/overview" });
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([screens])]),
    history: createMemoryHistory({ initialEntries: [path] }),
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
    open({});
    await screen.findByText("You have no tenant yet");
    screen.getByRole("button", { name: "Create tenant" });
    expect(screen.queryByRole("link")).toBe(null);
  });

  it("tells an operator without one that tenants are customers, and where they are", async () => {
    open({ isOperator: true });
    await screen.findByText("You do not belong to a tenant");
    screen.getByText(/Tenants are your customers/);
    screen.getByRole("button", { name: "Create tenant" });
    const all = screen.getByRole("link", { name: "All tenants" });
    expect(all.getAttribute("href")).toContain("/operator/tenants");
  });
});

describe("a tenant that left for another cell", () => {
  const findLink = () => screen.findByRole("link", { name: "Open the console of its cell" });

  it("is named to its members where its screen was, with a way to the same screen there", async () => {
    open({
      tenants: [ACME],
      movedTenants: [BIRCH],
      path: "/overview?tenant=birch&environment=test",
    });
    await screen.findByText("Birch lives in another cell");
    screen.getByText(/It was moved to west/);
    expect((await findLink()).getAttribute("href")).toBe(
      "https://west.example.com/overview?tenant=birch&environment=test",
    );
    expect(screen.queryByText(/the screen of/)).toBe(null);
  });

  it("is named where no address says which tenant is meant: it was the last one used, or the only one", async () => {
    localStorage.setItem("tenant", "birch");
    open({ tenants: [ACME], movedTenants: [BIRCH] });
    await screen.findByText("Birch lives in another cell");
    cleanup();
    localStorage.clear();
    open({ movedTenants: [BIRCH] });
    await screen.findByText("Birch lives in another cell");
    screen.getByRole("button", { name: "Create tenant" });
    cleanup();
    open({ movedTenants: [BIRCH, { ...BIRCH, tenantId: ACME.tenantId, name: "Cedar" }] });
    await screen.findByText("Your tenants live in other cells");
    expect(screen.getAllByRole("link")).toHaveLength(2);
  });

  it("leaves other tenants as they are, also one that took its slug", async () => {
    open({ tenants: [ACME], movedTenants: [BIRCH] });
    await screen.findByText("the screen of Acme");
    cleanup();
    const taken = { ...ACME, name: "New Birch", slug: "birch" };
    open({ tenants: [taken], movedTenants: [BIRCH], path: "/overview?tenant=birch" });
    await screen.findByText("the screen of New Birch");
  });

  it("has no link while it is on its way, and where the address of the other console is not known", async () => {
    open({ movedTenants: [{ ...BIRCH, isMoving: true }] });
    await screen.findByText("Birch is on its way to another cell");
    screen.getByRole("button", { name: "Check again" });
    expect(screen.queryByRole("link")).toBe(null);
    cleanup();
    for (const consoleUrl of [null, "javascript:alert(1)"]) {
      open({ movedTenants: [{ ...BIRCH, consoleUrl }] });
      await screen.findByText(/Ask the operator for the address of its console/);
      expect(screen.queryByRole("link")).toBe(null);
      cleanup();
    }
  });
});
