// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import {
  type FakeAnswers,
  fakeNetwork,
  makeTestPlatform,
  problem,
} from "#platform/render-with-platform.tsx";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { FirstTenant } from "./first-tenant.tsx";

const TENANT = { tenantId: "ten_0199f3b0c1d27a4e8f60112233445566", slug: "blue-heron" };
const KEPT = "arrival-tenant-name";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

/** Opens a screen as a person who named a company when they registered. */
function openScreen(path: string, setting: { answers?: FakeAnswers; tenants?: object[] }) {
  fakeNetwork(setting.answers ?? {});
  vi.stubGlobal("scrollTo", () => undefined);
  const platform = makeTestPlatform();
  platform.arrivals.keepTenantName("Blue Heron", "ada@example.com");
  const client = createQueryClient();
  client.setQueryData(VERIFIED_USER_KEY, {
    user: { userId: "usr_0199f3b0c1d27a4e8f60112233445588", email: "ada@example.com" },
    tenants: setting.tenants ?? [],
  });
  const root = createRootRoute({
    component: () => <FirstTenant>a screen</FirstTenant>,
  });
  const at = (path: string) => createRoute({ getParentRoute: () => root, path });
  const router = createRouter({
    routeTree: root.addChildren([at("/overview"), at("/plans"), at("/quickstart")]),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  render(
    <QueryClientProvider client={client}>
      <PlatformProvider value={platform}>
        <UiProvider>
          <RouterProvider router={router} />
        </UiProvider>
      </PlatformProvider>
    </QueryClientProvider>,
  );
  return router;
}

describe("FirstTenant", () => {
  it.each([
    { from: "/overview", to: "/quickstart" },
    { from: "/plans", to: "/plans" },
  ])("creates the tenant on $from and goes on to $to", async ({ from, to }) => {
    const router = openScreen(from, { answers: { "POST /tenants": () => TENANT } });
    await waitFor(() => expect(router.state.location.search).toEqual({ tenant: "blue-heron" }));
    expect(router.state.location.pathname).toBe(to);
  });

  it("creates it once, and again only when a person asks for it after no answer came", async () => {
    const names: unknown[] = [];
    openScreen("/overview", {
      answers: {
        "POST /tenants": async (request) => {
          names.push(await request.json());
          return names.length === 1 ? "unreachable" : "never";
        },
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
    await screen.findByRole("status", { name: "Creating Blue Heron" });
    await waitFor(() => expect(names).toEqual([{ name: "Blue Heron" }, { name: "Blue Heron" }]));
    expect(localStorage.getItem(KEPT)).not.toBe(null);
  });

  it("shows the screen without a tenant when the server refuses the name", async () => {
    openScreen("/overview", {
      answers: { "POST /tenants": () => problem(422, "INVALID_REQUEST", "Too many tenants.") },
    });
    await screen.findByText("a screen");
    expect(localStorage.getItem(KEPT)).toBe(null);
  });

  it("creates none for a person who has joined a tenant, neither now nor later", async () => {
    openScreen("/overview", { tenants: [TENANT] });
    await screen.findByText("a screen");
    expect(localStorage.getItem(KEPT)).toBe(null);
  });
});
