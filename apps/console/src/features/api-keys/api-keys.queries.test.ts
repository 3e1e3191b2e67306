import { afterEach, expect, it, vi } from "vitest";
import { createApiClient } from "#platform/api-client.ts";
import { createQueryClient } from "#platform/query-client.ts";
import { keysQueries } from "./api-keys.queries.ts";
import { makeKey } from "./keys.fixture.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("reloads a tenant's key options for each form, because the plan may have changed", async () => {
  const api = createApiClient({
    apiUrl: "https://api.example.com",
    getIdToken: () => Promise.resolve(undefined),
  });
  let custom = ["maps:read"];
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ management: [], custom })));
  const client = createQueryClient();
  const open = () => client.fetchQuery(keysQueries.scopes(api, makeKey(1).tenantId));
  expect((await open()).custom).toEqual(["maps:read"]);
  custom = ["maps:write"];
  expect((await open()).custom).toEqual(["maps:write"]);
});
