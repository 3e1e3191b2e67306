import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { createApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { quickstartQueries } from "./quickstart.queries.ts";

const TENANT_ID = "ten_0199f3b0c1d27a4e8f60112233445566" as OwnTenant["tenantId"];
const HISTORY = "key_0199f3b0c1d27a4e8f60112233440001";
const OWN = "key_0199f3b0c1d27a4e8f60112233440002";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Answers with calls by key; the key of the imported history is the only one of its name. */
async function askFirstCalls(calls: Readonly<Record<string, number>>) {
  const rows = Object.entries(calls).map(([key, requests]) => ({
    time: null,
    group: { key },
    values: { requests },
  }));
  const requests = Object.values(calls).reduce((sum, count) => sum + count, 0);
  vi.stubGlobal("fetch", (request: Request) => {
    const isUsage = new URL(request.url).pathname.endsWith("/usage");
    const answer = isUsage ? { totals: { requests }, rows } : { items: [{ keyId: HISTORY }] };
    return Promise.resolve(Response.json(answer));
  });
  const api = createApiClient({
    apiUrl: "https://api.example.com",
    getIdToken: () => Promise.resolve(undefined),
  });
  return await new QueryClient().fetchQuery(quickstartQueries.firstCalls(api, TENANT_ID));
}

it("does not take imported history for a first call", async () => {
  expect(await askFirstCalls({})).toEqual({ total: 0, rows: [] });
  expect(await askFirstCalls({ [HISTORY]: 10_000 })).toEqual({ total: 0, rows: [] });
  expect(await askFirstCalls({ [HISTORY]: 10_000, [OWN]: 2 })).toMatchObject({ total: 2 });
});
