import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

export type TenantId = OwnTenant["tenantId"];
export type Tenant = Awaited<ReturnType<ApiClient["tenants"]["get"]>>;
export type DeletedTenant = Awaited<
  ReturnType<ApiClient["tenants"]["listDeleted"]>
>["items"][number];
export type Member = Awaited<ReturnType<ApiClient["tenants"]["listMembers"]>>["items"][number];
export type Invitation = Awaited<ReturnType<ApiClient["invitations"]["list"]>>["items"][number];
export type TenantRole = Awaited<ReturnType<ApiClient["roles"]["list"]>>["items"][number];
export type ServiceKey = Awaited<ReturnType<ApiClient["serviceKeys"]["list"]>>["items"][number];
export type Mail = Awaited<ReturnType<ApiClient["outbox"]["list"]>>["items"][number];

export type Customer = Awaited<ReturnType<ApiClient["customers"]["list"]>>["items"][number];
export type CustomerFilter = Omit<
  Parameters<ApiClient["customers"]["list"]>[0],
  "cursor" | "limit"
>;

export type MailFilter = { state?: Mail["state"]; kind?: string; to?: string };

/** Rows of a page in lists that are paged through. */
const PAGE = 25;
/** The most that the API returns at once. */
const ALL = 100;
/** How often the figures of tenants are worked out, in milliseconds. */
const CUSTOMERS_REFRESH_MS = 60_000;
/** How often the outbox is refreshed, in milliseconds. */
const OUTBOX_REFRESH_MS = 10_000;

type Cursor = string | undefined;

function pageOf(cursor: Cursor, limit = PAGE) {
  return { limit, ...(cursor === undefined ? {} : { cursor }) };
}

export const tenantsQueries = {
  details: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "details"],
      queryFn: ({ signal }) => api.tenants.get({ tenantId }, { signal }),
    }),

  members: (api: ApiClient, tenantId: TenantId, cursor?: Cursor) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "members", "page", cursor ?? null],
      queryFn: ({ signal }) =>
        api.tenants.listMembers({ tenantId, ...pageOf(cursor, ALL) }, { signal }),
      // Other people change it by accepting invitations or leaving.
      staleTime: 0,
    }),

  /** The built-in roles and the tenant's own. */
  roles: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "roles"],
      queryFn: async ({ signal }) => (await api.roles.list({ tenantId }, { signal })).items,
      staleTime: 0,
    }),

  /** All of them: a tenant has fewer open invitations than one page holds. */
  invitations: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "invitations"],
      queryFn: async ({ signal }) =>
        (await api.invitations.list({ tenantId, limit: ALL }, { signal })).items,
      staleTime: 0,
    }),

  /** Keys of one creator among the newest 100 that are not revoked. */
  keysOf: (api: ApiClient, tenantId: TenantId, userId: string) =>
    queryOptions({
      queryKey: ["keys", tenantId, "made-by", userId],
      queryFn: async ({ signal }) => {
        const { items, nextCursor } = await api.keys.list({ tenantId, limit: ALL }, { signal });
        return {
          keys: items.filter(
            ({ createdBy, state }) =>
              createdBy === `user:${userId}` && state !== "revoked" && state !== "expired",
          ),
          isComplete: nextCursor === null,
        };
      },
      staleTime: 0,
    }),
};

/** Requests for operators only. */
export const operatorQueries = {
  customers: (api: ApiClient, { cursor, ...filter }: CustomerFilter & { cursor: Cursor }) =>
    queryOptions({
      queryKey: ["tenants", "all", filter, cursor ?? null],
      queryFn: ({ signal }) => api.customers.list({ ...pageOf(cursor), ...filter }, { signal }),
      staleTime: 0,
      refetchInterval: askAgainIn(CUSTOMERS_REFRESH_MS),
    }),

  deletedTenants: (api: ApiClient, cursor: Cursor) =>
    queryOptions({
      queryKey: ["tenants", "deleted", cursor ?? null],
      queryFn: ({ signal }) => api.tenants.listDeleted(pageOf(cursor), { signal }),
      staleTime: 0,
    }),

  serviceKeys: (api: ApiClient, cursor: Cursor) =>
    queryOptions({
      queryKey: ["service-keys", cursor ?? null],
      queryFn: ({ signal }) => api.serviceKeys.list(pageOf(cursor), { signal }),
      staleTime: 0,
    }),

  outbox: (api: ApiClient, { cursor, ...filter }: MailFilter & { cursor: Cursor }) =>
    queryOptions({
      queryKey: ["outbox", "list", filter, cursor ?? null],
      queryFn: ({ signal }) => api.outbox.list({ ...pageOf(cursor), ...filter }, { signal }),
      staleTime: 0,
      refetchInterval: askAgainIn(OUTBOX_REFRESH_MS),
    }),

  mailPreview: (api: ApiClient, mailId: string) =>
    queryOptions({
      queryKey: ["outbox", "preview", mailId],
      queryFn: ({ signal }) => api.outbox.preview({ mailId }, { signal }),
    }),

  refusedAddresses: (api: ApiClient) =>
    queryOptions({
      queryKey: ["outbox", "refused-addresses"],
      queryFn: async ({ signal }) =>
        (await api.outbox.listRefusedAddresses({ limit: ALL }, { signal })).items,
      staleTime: 0,
    }),
};
