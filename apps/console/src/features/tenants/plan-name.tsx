import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { VisuallyHidden } from "@turnpike/ui/visually-hidden";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { limitsQuery } from "#platform/shared-queries.ts";

/** The plan of a tenant by its name; by its id only where the name cannot be loaded. */
export function PlanName({ tenant }: { tenant: Pick<OwnTenant, "tenantId" | "planId"> }) {
  const limits = useQuery(limitsQuery(usePlatform().api, tenant.tenantId));
  return limits.isPending ? (
    <>
      <Skeleton className="h-5 w-16" />
      {/* A link around it has a name meanwhile. */}
      <VisuallyHidden>{t`Plan`}</VisuallyHidden>
    </>
  ) : (
    (limits.data?.plan.name ?? tenant.planId)
  );
}
