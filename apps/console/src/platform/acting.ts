import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "./api-client.ts";

export type Acting = NonNullable<Awaited<ReturnType<ApiClient["acting"]["get"]>>["acting"]>;

const ACTING_KEY = ["acting"] as const;
/** How soon other tabs notice that it began or ended, in milliseconds. */
const LOOK_EVERY_MS = 15_000;

/** Where the operator acts right now; null for nowhere. The server decides, so that all tabs agree. */
export function actingQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ACTING_KEY,
    queryFn: async ({ signal }): Promise<Acting | null> =>
      (await api.acting.get({}, { signal })).acting,
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
  });
}

/** Shows at once that acting began or ended, here and in what depends on it. */
export function useSetActing(): (acting: Acting | null) => void {
  const client = useQueryClient();
  return (acting) => client.setQueryData(ACTING_KEY, acting);
}
