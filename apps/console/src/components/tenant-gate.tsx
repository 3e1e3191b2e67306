import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import Building2 from "lucide-react/icons/building-2";
import { type ReactNode, useState } from "react";
import { type OwnTenant, useCurrentTenant } from "#platform/current-tenant.ts";
import { CreateTenantDialog } from "./create-tenant-dialog.tsx";
import { Page, type PageProps } from "./page.tsx";

export type TenantGateProps = {
  children: (tenant: OwnTenant) => ReactNode;
  /** Heads the screen while there is no tenant. Left out: the gate stands within a page that has its heading. */
  page?: Pick<PageProps, "title" | "purpose">;
};

/** Shows a screen of the current tenant; somebody without one is asked to create it. */
export function TenantGate({ children, page }: TenantGateProps) {
  const tenant = useCurrentTenant();
  if (tenant !== undefined) {
    return children(tenant);
  }
  return page === undefined ? (
    <NoTenant />
  ) : (
    <Page {...page}>
      <NoTenant />
    </Page>
  );
}

function NoTenant() {
  const [isCreating, setIsCreating] = useState(false);
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
