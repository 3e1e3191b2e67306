import { MutationCache, QueryClient } from "@tanstack/react-query";
import { RequestError } from "./error-message.ts";
import { VERIFIED_USER_KEY } from "./verified-user.ts";

/** Times a failed query is tried again. */
export const QUERY_RETRIES = 2;
/** Between two tries, in milliseconds. */
export const QUERY_RETRY_DELAY_MS = 1500;
/** How long an answer counts as fresh, in milliseconds. */
export const QUERY_FRESH_MS = 60_000;

/** Makes the one query client of the page, with the defaults of spec.md §9. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    // A role that was taken away meanwhile: the screens ask again what the person may do.
    mutationCache: new MutationCache({
      onError: (error) => {
        if (error instanceof RequestError && error.code === "INSUFFICIENT_SCOPE") {
          void client.invalidateQueries({ queryKey: VERIFIED_USER_KEY });
        }
      },
    }),
    defaultOptions: {
      queries: {
        retry: QUERY_RETRIES,
        retryDelay: QUERY_RETRY_DELAY_MS,
        refetchOnWindowFocus: false,
        staleTime: QUERY_FRESH_MS,
      },
      // Without a connection a change fails at once and says so: held back, it would happen when nobody expects it any more.
      mutations: { networkMode: "always" },
    },
  });
  return client;
}
