// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { PlatformProvider } from "#platform/platform.tsx";
import { fakeNetwork, makeTestPlatform } from "#platform/render-with-platform.tsx";
import { ACME } from "../open-tenants.fixture.tsx";
import { makeTenant } from "../tenant-answers.fixture.ts";
import type { TenantId } from "../tenants.queries.ts";
import { useUpdateAnyTenant } from "./use-update-any-tenant.ts";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("reloads the tenant's key options, because another plan allows other scopes", async () => {
  fakeNetwork({ [`PATCH /tenants/${ACME}`]: () => makeTenant() });
  const platform = makeTestPlatform();
  const client = new QueryClient();
  const scopesOf = (tenantId: string) => ["key-scopes", tenantId];
  client.setQueryData(scopesOf(ACME), { management: [], custom: [] });
  client.setQueryData(scopesOf("ten_other"), { management: [], custom: [] });
  const { result } = renderHook(() => useUpdateAnyTenant(ACME as TenantId), {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>
        <PlatformProvider value={platform}>{children}</PlatformProvider>
      </QueryClientProvider>
    ),
  });
  await act(async () => result.current.mutateAsync({ planId: "pro" }));
  expect(client.getQueryState(scopesOf(ACME))?.isInvalidated).toBe(true);
  expect(client.getQueryState(scopesOf("ten_other"))?.isInvalidated).toBe(false);
});
