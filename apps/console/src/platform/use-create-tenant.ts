import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { rememberTenant } from "./current-tenant.ts";
import { usePlatform } from "./platform.tsx";
import { useRefreshVerifiedUser } from "./verified-user.ts";

export const CREATE_TENANT_KEY = ["tenants", "create"] as const;

/**
 * Creates a tenant of one's own and makes it the current one.
 *
 * @param to - The screen to open then; left out: the present one.
 */
export function useCreateTenant(to: "." | "/quickstart" = ".") {
  const { api } = usePlatform();
  const refresh = useRefreshVerifiedUser();
  const navigate = useNavigate();
  return useMutation({
    mutationKey: CREATE_TENANT_KEY,
    mutationFn: (input: { name: string }) => api.tenants.create(input),
    onSuccess: async (tenant) => {
      rememberTenant(tenant.slug);
      await refresh();
      await navigate({ to, search: (before) => ({ ...before, tenant: tenant.slug }) });
    },
  });
}
