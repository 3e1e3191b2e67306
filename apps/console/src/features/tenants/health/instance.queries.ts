import { queryOptions } from "@tanstack/react-query";
import { loadReadiness } from "./readiness.ts";

/** How often the state of the instance is asked for while the page is seen, in milliseconds. */
const READINESS_INTERVAL_MS = 5000;

export const instanceQueries = {
  readiness: () =>
    queryOptions({
      queryKey: ["instance", "readiness"],
      queryFn: ({ signal }) => loadReadiness(signal),
      refetchInterval: READINESS_INTERVAL_MS,
    }),
};
