import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { type BillingPlace, billingKey } from "#platform/billing-queries.ts";
import { RUNNING_REFRESH_MS } from "../billings.queries.ts";

export type Credits = Awaited<ReturnType<ApiClient["billing"]["getCredits"]>>;
export type CreditGrant = Credits["grants"][number];

const ENTRIES_PER_PAGE = 30;

export const creditsQueries = {
  credits: (api: ApiClient, place: BillingPlace) =>
    queryOptions({
      queryKey: [...billingKey(place), place.environment, "credits"],
      queryFn: ({ signal }): Promise<Credits> => api.billing.getCredits(place, { signal }),
      // On a prepaid plan it moves with each call; else with documents, which refresh it themselves.
      refetchInterval: ({ state }) => (state.data?.draw ? RUNNING_REFRESH_MS : false),
    }),

  /** What happened to the credit, newest first. */
  entries: (api: ApiClient, place: BillingPlace) =>
    infiniteQueryOptions({
      queryKey: [...billingKey(place), place.environment, "credit-entries"],
      queryFn: ({ pageParam, signal }) =>
        api.billing.listCreditEntries(
          {
            ...place,
            limit: ENTRIES_PER_PAGE,
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
          { signal },
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor,
    }),
};
