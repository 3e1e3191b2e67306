import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { ButtonLink } from "@turnpike/ui/button-link";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Skeleton } from "@turnpike/ui/skeleton";
import Building2 from "lucide-react/icons/building-2";
import { lazy, type ReactNode, Suspense, useState } from "react";
import {
  type OwnTenant,
  useCurrentTenant,
  useMovedTenants,
  useTenantVisit,
} from "#platform/current-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { FailureNotice } from "./failure-notice.tsx";
import { LateCreateTenantDialog } from "./late-create-tenant-dialog.tsx";
import { Page, type PageProps } from "./page.tsx";

/** Only where an installation has several cells. */
const MovedTenants = lazy(async () => ({
  default: (await import("./moved-tenants.tsx")).MovedTenants,
}));

export type TenantGateProps = {
  children: (tenant: OwnTenant) => ReactNode;
  /** Heads the screen while there is no tenant. Left out: the gate stands within a page that has its heading. */
  page?: Pick<PageProps, "title" | "purpose">;
};

/** Shows a screen of the current tenant; a person without one is asked to create it. */
export function TenantGate({ children, page }: TenantGateProps) {
  const tenant = useCurrentTenant();
  if (tenant !== undefined) {
    return children(tenant);
  }
  return page === undefined ? (
    <Instead />
  ) : (
    <Page {...page}>
      <Instead />
    </Page>
  );
}

/** Shown instead of a tenant's screen. */
function Instead() {
  const visit = useTenantVisit();
  switch (visit.state) {
    case "opening":
      return (
        <div role="status" aria-label={t`Opening the tenant`} className="space-y-4">
          <Skeleton className="h-28 w-full rounded-card" />
          <Skeleton className="h-64 w-full rounded-card" />
        </div>
      );
    case "failed":
      return (
        <FailureNotice
          what={t`The tenant could not be opened.`}
          cause={visit.cause}
          onRetry={visit.retry}
        />
      );
    case "missing":
      return (
        <EmptyState
          icon={<Building2 />}
          title={t`There is no tenant at this address`}
          action={<AllTenantsLink />}
        >
          <Trans>It may have been deleted or given a new slug.</Trans>
        </EmptyState>
      );
    case "moved":
      return (
        <Suspense>
          <MovedTenants tenants={[visit.tenant]} />
        </Suspense>
      );
    case "open":
    case "none":
      return <NoTenant />;
    default:
      return visit satisfies never;
  }
}

function AllTenantsLink() {
  return (
    <ButtonLink link={<Link to="/operator/tenants" search={{ tenant: undefined }} />}>
      <Trans>All tenants</Trans>
    </ButtonLink>
  );
}

function NoTenant() {
  const [isCreating, setIsCreating] = useState(false);
  return (
    <>
      <NothingHere onCreate={() => setIsCreating(true)} />
      <LateCreateTenantDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  );
}

function NothingHere({ onCreate }: { onCreate: () => void }) {
  const { user } = useVerifiedUser();
  const moved = useMovedTenants();
  const create = (
    <Button look={moved.length > 0 ? "secondary" : "primary"} onClick={onCreate}>
      <Trans>Create tenant</Trans>
    </Button>
  );
  const ways = (
    <div className="flex flex-wrap justify-center gap-2">
      {create}
      <AllTenantsLink />
    </div>
  );
  if (moved.length > 0) {
    return (
      <Suspense>
        <MovedTenants tenants={moved} wayOn={user.isOperator ? ways : create} />
      </Suspense>
    );
  }
  return user.isOperator ? (
    <EmptyState icon={<Building2 />} title={t`You do not belong to a tenant`} action={ways}>
      <Trans>
        Tenants are your customers: each has its own keys, usage and plan, and customers create
        theirs when they register. Open one from All tenants to see this screen, or create one to
        call your own API.
      </Trans>
    </EmptyState>
  ) : (
    <EmptyState icon={<Building2 />} title={t`You have no tenant yet`} action={create}>
      <Trans>
        Keys, usage and plans belong to a tenant: your company or one of its projects. Create one,
        or open the invitation you were sent.
      </Trans>
    </EmptyState>
  );
}
