import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { rememberTenant } from "./current-tenant.ts";
import { usePlatform } from "./platform.tsx";
import { useRefreshVerifiedUser } from "./verified-user.ts";

/** Creates a tenant of one's own and makes it the current one. */
export function useCreateTenant() {
  const { api } = usePlatform();
  const refresh = useRefreshVerifiedUser();
  const navigate = useNavigate();
  return useMutation({
    mutationKey: ["tenants", "create"],
    mutationFn: (input: { name: string }) => api.tenants.create(input),
    onSuccess: async (tenant) => {
      rememberTenant(tenant.slug);
      await refresh();
      await navigate({ to: ".", search: (before) => ({ ...before, tenant: tenant.slug }) });
    },
  });
}
