import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import Building2 from "lucide-react/icons/building-2";
import { type ReactNode, useState } from "react";
import { type OwnTenant, useCurrentTenant } from "#platform/current-tenant.ts";
import { CreateTenantDialog } from "./create-tenant-dialog.tsx";

/** Shows a screen of the current tenant; somebody without one is asked to create it. */
export function TenantGate({ children }: { children: (tenant: OwnTenant) => ReactNode }) {
  const tenant = useCurrentTenant();
  const [isCreating, setIsCreating] = useState(false);
  if (tenant !== undefined) {
    return children(tenant);
  }
  return (
    <>
      <EmptyState
        icon={<Building2 />}
        title="You have no tenant yet"
        action={
          <Button look="primary" onClick={() => setIsCreating(true)}>
            Create tenant
          </Button>
        }
      >
        Keys, usage and plans belong to a tenant: your company or one of its projects. Create one,
        or open the invitation that somebody sent you.
      </EmptyState>
      <CreateTenantDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  );
}
