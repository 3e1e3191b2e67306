import { QueryClient } from "@tanstack/react-query";

/** Times a failed query is tried again. */
export const QUERY_RETRIES = 2;
/** Between two tries, in milliseconds. */
export const QUERY_RETRY_DELAY_MS = 1500;
/** How long an answer counts as fresh, in milliseconds. */
export const QUERY_FRESH_MS = 60_000;

/** Makes the one query client of the page, with the defaults of spec.md §9. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: QUERY_RETRIES,
        retryDelay: QUERY_RETRY_DELAY_MS,
        refetchOnWindowFocus: false,
        staleTime: QUERY_FRESH_MS,
      },
    },
  });
}
