import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import { type BillingPlace, billingKey, type Invoice } from "#platform/billing-queries.ts";
import type { Environment } from "#platform/current-environment.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { BillingsSearch, PartKind } from "./billings-search.view-model.ts";

type TenantId = OwnTenant["tenantId"];

/** What is used shows on the running period within this time, in milliseconds. */
export const REFRESH_MS = 15_000;
/** How often the running invoice is asked for while it is in sight, in milliseconds. */
export const RUNNING_REFRESH_MS = 4_000;

const INVOICES_PER_PAGE = 20;
const EVENTS_PER_PAGE = 20;
const PARTS_PER_PAGE = 50;

/** A usage line of an invoice, or of the running one. */
export type OpenLine = {
  invoiceId: Invoice["invoiceId"] | "upcoming";
  line: number;
  by: PartKind;
  key: string | undefined;
  day: string | undefined;
};

type KeyFilter = NonNullable<Parameters<ApiClient["billing"]["listLineUsage"]>[0]["key"]>;

export const billingsQueries = {
  invoices: (api: ApiClient, place: BillingPlace, { state, cursor }: BillingsSearch) =>
    queryOptions({
      queryKey: [...billingKey(place), place.environment, "invoices", state, cursor],
      queryFn: ({ signal }) =>
        api.billing.listInvoices(
          {
            ...place,
            limit: INVOICES_PER_PAGE,
            ...(state === undefined ? {} : { state }),
            ...(cursor === undefined ? {} : { cursor }),
          },
          { signal },
        ),
    }),

  invoice: (api: ApiClient, tenantId: TenantId, invoiceId: Invoice["invoiceId"]) =>
    queryOptions({
      queryKey: [...billingKey({ tenantId }), "invoice", invoiceId],
      queryFn: ({ signal }) => api.billing.getInvoice({ tenantId, invoiceId }, { signal }),
    }),

  /** The parts of a usage line, page after page. */
  parts: (api: ApiClient, place: BillingPlace, open: OpenLine) =>
    infiniteQueryOptions({
      queryKey: [...billingKey(place), place.environment, "parts", open],
      queryFn: ({ pageParam, signal }) => {
        const { invoiceId, line, by, key, day } = open;
        return api.billing.listLineUsage(
          {
            ...place,
            ...{ invoiceId, line, by, limit: PARTS_PER_PAGE },
            ...(key === undefined ? {} : { key: asKeyFilter(key) }),
            ...(day === undefined ? {} : { day }),
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
          { signal },
        );
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor,
      staleTime: 0,
    }),

  /** What happened to the subscription, newest first. */
  events: (api: ApiClient, place: BillingPlace) =>
    infiniteQueryOptions({
      queryKey: [...billingKey(place), place.environment, "events"],
      queryFn: ({ pageParam, signal }) =>
        api.billing.listBillingEvents(
          {
            ...place,
            limit: EVENTS_PER_PAGE,
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
          { signal },
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor,
    }),

  /** Names of members by their id. */
  memberNames: (api: ApiClient, tenantId: TenantId) =>
    queryOptions({
      queryKey: ["tenants", tenantId, "members", "names"],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
        const { items } = await api.tenants.listMembers({ tenantId, limit: 100 }, { signal });
        return new Map(
          items.map(({ userId, name, email }) => [String(userId), name ?? email ?? userId]),
        );
      },
    }),

  /** Billable units of one meter since the period began, by key. */
  byKey: (
    api: ApiClient,
    input: { tenantId: TenantId; environment: Environment; meterId: string; from: string },
  ) =>
    queryOptions({
      queryKey: ["usage", input.tenantId, "period-by-key", input],
      queryFn: async ({ signal }) => {
        const { tenantId, environment, meterId, from } = input;
        const [usage, keys] = await Promise.all([
          api.usage.query(
            {
              tenantId,
              meter: meterId,
              measures: "billable,requests",
              dimensions: "key",
              environment,
              from,
              order: "-billable",
              limit: 10,
            },
            { signal },
          ),
          api.keys.list({ tenantId, limit: 100 }, { signal }),
        ]);
        const names = new Map(keys.items.map((key) => [String(key.keyId), key.name]));
        return { rows: usage.rows, total: usage.totals.billable ?? "0", names };
      },
      refetchInterval: askAgainIn(REFRESH_MS),
    }),
};

/** A key from the address: one that is none is refused by the API, whose answer is shown. */
function asKeyFilter(key: string): KeyFilter {
  return key as KeyFilter;
}
