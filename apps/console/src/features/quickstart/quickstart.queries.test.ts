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

/** Answers with calls by key and status; the key of the imported history is the only one of its name. */
async function askFirstCalls(calls: Readonly<Record<string, number>>, status = "200") {
  const rows = Object.entries(calls).map(([key, requests]) => ({
    time: null,
    group: { key, status },
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
  const none = { total: 0, found: 0 };
  expect(await askFirstCalls({})).toEqual({ ...none, rows: [] });
  expect(await askFirstCalls({ [HISTORY]: 10_000 })).toEqual({ ...none, rows: [] });
  expect(await askFirstCalls({ [HISTORY]: 10_000, [OWN]: 2 })).toMatchObject({
    total: 2,
    found: 2,
  });
});

it("counts a call to a path that the API does not have as arrived, not as found", async () => {
  expect(await askFirstCalls({ [OWN]: 2 }, "404")).toMatchObject({ total: 2, found: 0 });
});
