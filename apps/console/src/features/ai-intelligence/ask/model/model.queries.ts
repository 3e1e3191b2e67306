import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";

export type ModelState = NonNullable<
  Awaited<ReturnType<ApiClient["modelAnswers"]["getState"]>>["model"]
>;

export function modelStateKey() {
  return ["model-state"];
}

/** Which language model may be asked; null for none. */
export function modelStateQuery(api: ApiClient, tenantId: OwnTenant["tenantId"]) {
  return queryOptions({
    queryKey: [...modelStateKey(), tenantId],
    queryFn: async ({ signal }) =>
      (await api.modelAnswers.getState({ tenantId }, { signal })).model,
    staleTime: 60_000,
  });
}
