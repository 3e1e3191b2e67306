import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usageQuery } from "#platform/usage-query.ts";
import type { KeysView } from "./api-keys-search.view-model.ts";

export type TenantId = OwnTenant["tenantId"];
export type Key = Awaited<ReturnType<ApiClient["keys"]["get"]>>;
export type KeyId = Key["keyId"];
export type CreatedKey = Awaited<ReturnType<ApiClient["keys"]["create"]>>;
export type KeyPage = Awaited<ReturnType<ApiClient["keys"]["list"]>>;
export type KeySummary = Awaited<ReturnType<ApiClient["usage"]["keys"]>>["items"][number];
export type AuditEntry = Awaited<ReturnType<ApiClient["tenants"]["listAudit"]>>["items"][number];

export const PAGE_SIZE = 25;
const MATCHING_SIZE = 100;
/** Entries of a key's trail per page. */
const TRAIL_SIZE = 10;
/** Members that the page loads names for; others are shown by id. */
const PEOPLE_MAX = 100;
/** How far back the usage of one key goes, in milliseconds. */
const USAGE_MS = 30 * 86_400_000;
/** How often usage is refreshed, in milliseconds. */
export const USAGE_REFRESH_MS = 5_000;
/** How often the keys themselves are refreshed: other people change them, and they expire. */
const KEYS_REFRESH_MS = 30_000;

/** The filters and order of the view. */
function toListInput({ q, environment, state, sort }: KeysView) {
  return {
    sort,
    ...(q.trim() === "" ? {} : { q: q.trim() }),
    ...(environment === undefined ? {} : { environment }),
    ...(state === undefined ? {} : { state }),
  };
}

export const keysQueries = {
  list: (api: ApiClient, tenantId: TenantId, view: KeysView) => {
    const { cursors } = view;
    const input = {
      ...toListInput(view),
      limit: PAGE_SIZE,
      ...(cursors.length === 0 ? {} : { cursor: cursors.at(-1) }),
    };
    return queryOptions({
      queryKey: [...keysOf(tenantId), "list", input],
      queryFn: ({ signal }) => api.keys.list({ tenantId, ...input }, { signal }),
      refetchInterval: askAgainIn(KEYS_REFRESH_MS),
    });
  },

  /** Keys of all pages, as many at once as the API returns. @param cursor - Left out for the first page. */
  matching: (api: ApiClient, tenantId: TenantId, view: KeysView, cursor?: string | undefined) =>
    api.keys.list({
      tenantId,
      ...toListInput(view),
      limit: MATCHING_SIZE,
      ...(cursor === undefined ? {} : { cursor }),
    }),

  one: (api: ApiClient, tenantId: TenantId, keyId: KeyId) =>
    queryOptions({
      queryKey: [...keysOf(tenantId), "one", keyId],
      queryFn: ({ signal }) => api.keys.get({ tenantId, keyId }, { signal }),
      refetchInterval: askAgainIn(KEYS_REFRESH_MS),
    }),

  /** The usage of each key on the page over the last 14 days. */
  summaries: (api: ApiClient, tenantId: TenantId, ids: readonly KeyId[], timeZone: string) =>
    queryOptions({
      queryKey: ["usage", tenantId, "key-summaries", ids, timeZone],
      queryFn: ({ signal }) =>
        api.usage.keys({ tenantId, keys: ids.join(","), timeZone }, { signal }),
      enabled: ids.length > 0,
      refetchInterval: askAgainIn(USAGE_REFRESH_MS),
    }),

  /** The outcomes of one key's calls, by day. */
  usage: (api: ApiClient, tenantId: TenantId, keyId: KeyId, timeZone: string) =>
    usageQuery(
      api,
      {
        tenantId,
        timeZone,
        measures: ["requests", "denied"],
        dimensions: ["outcome"],
        filters: { key: [keyId] },
        grain: "day",
        range: { lastMs: USAGE_MS },
      },
      { refetchMs: USAGE_REFRESH_MS },
    ),

  /** What the tenant's keys may carry. Reloaded for each form: other people change the plan and its versions. */
  scopes: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["key-scopes", tenantId],
      queryFn: ({ signal }) => api.keys.listScopes({ tenantId }, { signal }),
      staleTime: 0,
    }),

  trail: (api: ApiClient, tenantId: TenantId, keyId: KeyId) =>
    infiniteQueryOptions({
      queryKey: ["audit", tenantId, "of", keyId],
      queryFn: ({ signal, pageParam }) =>
        api.tenants.listAudit(
          {
            tenantId,
            entityId: keyId,
            limit: TRAIL_SIZE,
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
          { signal },
        ),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.nextCursor,
    }),

  people: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "members", "names"],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
        const { items } = await api.tenants.listMembers(
          { tenantId, limit: PEOPLE_MAX },
          { signal },
        );
        return new Map(items.map(({ userId, name, email }) => [userId, name ?? email ?? userId]));
      },
    }),
};

/** The query key of everything about a tenant's keys, on every screen. */
export function keysOf(tenantId: TenantId) {
  return ["keys", tenantId] as const;
}

/** Shows the current or expected state of a key wherever this page shows it. */
export function replaceKey(client: QueryClient, tenantId: TenantId, key: Key): void {
  client.setQueriesData<KeyPage>(
    { queryKey: [...keysOf(tenantId), "list"] },
    (page) =>
      page && {
        ...page,
        items: page.items.map((one) => (one.keyId === key.keyId ? key : one)),
      },
  );
  client.setQueriesData<Key>({ queryKey: [...keysOf(tenantId), "one", key.keyId] }, key);
}

/** Reloads everything that a change of keys may have affected. */
export async function refreshKeys(client: QueryClient, tenantId: TenantId): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: keysOf(tenantId) }),
    client.invalidateQueries({ queryKey: ["audit", tenantId] }),
  ]);
}
