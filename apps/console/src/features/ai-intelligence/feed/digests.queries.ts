import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";

type Digests = Awaited<ReturnType<ApiClient["insightDigests"]["list"]>>;
export type DigestFrequency = Digests["items"][number]["frequency"];

export const DIGESTS_KEY = ["insight-digests"] as const;

/** The reader's digests in all of their tenants. */
export function digestsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: DIGESTS_KEY,
    queryFn: ({ signal }): Promise<Digests> => api.insightDigests.list({}, { signal }),
  });
}
