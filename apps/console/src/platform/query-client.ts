import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  MutationCache,
  type Query,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { RequestError } from "./error-message.ts";
import { VERIFIED_USER_KEY } from "./verified-user.ts";

/** Times a failed query is tried again. */
export const QUERY_RETRIES = 2;
/** Between two tries, in milliseconds. */
export const QUERY_RETRY_DELAY_MS = 1500;
/** How long an answer counts as fresh, in milliseconds. */
export const QUERY_FRESH_MS = 60_000;

/** Waits for its first answer, and has nothing to show until then. */
function isFirstAsked({ state }: Query): boolean {
  return state.data === undefined && state.fetchStatus === "fetching";
}

class ConsoleQueryClient extends QueryClient {
  /**
   * Asks again what a change has made old, also where the first answer is still under way: it may be from before the
   * change, and TanStack Query would keep it as fresh.
   */
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const asked = this.getQueryCache().findAll(filters).filter(isFirstAsked);
    if (asked.length > 0) {
      await this.cancelQueries({ predicate: (query) => asked.includes(query) });
    }
    await super.invalidateQueries(filters, options);
  }
}

/** Makes the one query client of the page, with the defaults of spec.md §9. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new ConsoleQueryClient({
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
      // Without a connection a change fails at once and says so: held back, it would happen when no one expects it any more.
      mutations: { networkMode: "always" },
    },
  });
  return client;
}
