import { queryOptions } from "@tanstack/react-query";
import { loadReadiness } from "./readiness.ts";

/** How often the state is refreshed while the page is visible, in milliseconds. */
const READINESS_INTERVAL_MS = 5000;

export const instanceQueries = {
  readiness: () =>
    queryOptions({
      queryKey: ["instance", "readiness"],
      queryFn: ({ signal }) => loadReadiness(signal),
      refetchInterval: READINESS_INTERVAL_MS,
    }),
};
