import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";

export type DeviceSignIn = Awaited<ReturnType<ApiClient["deviceSignIns"]["view"]>>;

export const personTokensKey = ["person-tokens"];

/** The command lines that are signed in as the person. */
export function personTokensQuery(api: ApiClient) {
  return queryOptions({
    queryKey: personTokensKey,
    queryFn: async ({ signal }) => (await api.personTokens.list({}, { signal })).items,
    staleTime: 0,
  });
}
