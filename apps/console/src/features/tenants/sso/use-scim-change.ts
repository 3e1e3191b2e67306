import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { scimKey } from "./scim.queries.ts";

/** Changes the tokens of a tenant's directory and shows what is new. Results and failures are the caller's to show. */
export function useScimChange<Input, Answer>(
  { tenantId }: OwnTenant,
  run: (api: ApiClient["scim"], input: Input) => Promise<Answer>,
): UseMutationResult<Answer, Error, Input> {
  const { api } = usePlatform();
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["scim", tenantId],
    mutationFn: (input: Input) => run(api.scim, input),
    onSettled: () =>
      Promise.all(
        [scimKey(tenantId), ["audit", tenantId]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
