import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { ssoKey } from "./sso.queries.ts";

/** Changes the single sign-on of a tenant, says so, and shows what is new. Failures are the caller's to show. */
export function useSsoChange<Input>(
  tenant: OwnTenant,
  change: {
    run: (api: ApiClient["sso"], input: Input) => Promise<unknown>;
    done: (input: Input) => string;
  },
): UseMutationResult<unknown, Error, Input> {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  return useMutation({
    mutationKey: ["sso", tenantId],
    mutationFn: (input: Input) => change.run(api.sso, input),
    onSuccess: (_answer, input) => void toast.success(change.done(input)),
    onSettled: () =>
      Promise.all(
        [ssoKey(tenantId), ["audit", tenantId]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
