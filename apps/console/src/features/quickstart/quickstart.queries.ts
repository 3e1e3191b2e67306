import { t } from "@lingui/core/macro";
import { queryOptions, skipToken } from "@tanstack/react-query";
import type { CALL_METHODS } from "@turnpike/contract/reference";
import type { UsageReport } from "@turnpike/contract/usage";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

type TenantId = OwnTenant["tenantId"];

/** A call of the operator's API, as its document names it. */
export type CallName = { method: (typeof CALL_METHODS)[number]; path: string };

/** Time between two checks for new calls, in milliseconds: short while the first one is awaited. */
const FIRST_CALL_MS = 1_500;
const MORE_CALLS_MS = 5_000;

/** The key that imported calls are counted under. */
const HISTORY_KEY_NAME = t`Imported history`;

/** The answer to a path that the API does not have. */
const NOT_FOUND = "404";

/** Calls that went through Turnpike, without those imported from logs; `found` are those that met a path of the API. */
type OwnCalls = { total: number; found: number };

/** @returns Zeroes while there is none. */
async function countOwnCalls(
  api: ApiClient,
  tenantId: TenantId,
  options: { signal: AbortSignal },
): Promise<OwnCalls> {
  const question = { tenantId, measures: "requests", dimensions: "key,status" };
  const { totals, rows } = await api.usage.query(question, options);
  if ((totals.requests ?? 0) === 0) {
    return { total: 0, found: 0 };
  }
  const wanted = { tenantId, q: HISTORY_KEY_NAME, state: "revoked" as const, limit: 10 };
  const { items } = await api.keys.list(wanted, options);
  const own = rows.filter(({ group }) => items.every(({ keyId }) => keyId !== group.key));
  const found = own.filter(({ group }) => group.status !== NOT_FOUND);
  return { total: sumOf(own), found: sumOf(found) };
}

function sumOf(rows: UsageReport["rows"]): number {
  return rows.reduce((sum, { values }) => sum + (values.requests ?? 0), 0);
}

export const quickstartQueries = {
  /** The tenant's newest key, if it has one. */
  newestKey: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["keys", tenantId, "newest"],
      queryFn: async ({ signal }) => {
        const { items } = await api.keys.list({ tenantId, state: "active", limit: 1 }, { signal });
        return items[0] ?? null;
      },
    }),

  /** The calls of the last hour, newest first, and the number of calls ever made. Refreshes itself while it is shown. */
  firstCalls: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["usage", tenantId, "first-calls"],
      queryFn: async ({ signal }) => {
        const { total, found } = await countOwnCalls(api, tenantId, { signal });
        if (total === 0) {
          return { total, found, rows: [] };
        }
        const { rows } = await api.usage.query(
          {
            tenantId,
            measures: "requests,latency_avg",
            dimensions: "method,route,status",
            grain: "minute",
            from: new Date(Date.now() - 3_600_000).toISOString(),
            order: "-time",
            limit: 5,
          },
          { signal },
        );
        return { total, found, rows };
      },
      staleTime: 0,
      refetchInterval: ({ state }) =>
        (state.data?.found ?? 0) === 0 ? FIRST_CALL_MS : MORE_CALLS_MS,
    }),

  /** The calls that the documents of the operator's API describe. */
  documentedCalls: (api: ApiClient) =>
    queryOptions({
      queryKey: ["reference-calls"],
      queryFn: async ({ signal }) => (await api.reference.listCalls({}, { signal })).items,
    }),

  /** @param call - Left out while none is chosen: nothing is asked. */
  sampleCall: (api: ApiClient, call: CallName | undefined) =>
    queryOptions({
      queryKey: ["reference-calls", call?.method, call?.path],
      queryFn:
        call === undefined
          ? skipToken
          : ({ signal }) =>
              api.reference.getCall({ method: call.method, path: call.path }, { signal }),
    }),

  members: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "members", "count"],
      queryFn: async ({ signal }) =>
        (await api.tenants.listMembers({ tenantId, limit: 2 }, { signal })).items.length,
    }),
};
