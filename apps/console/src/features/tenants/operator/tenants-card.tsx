import { useInfiniteQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { CreateTenantForm } from "./create-tenant-form.tsx";
import { operatorQueries, type Tenant, type TenantId } from "./operator.queries.ts";

export type TenantsCardProps = {
  selectedId: TenantId | undefined;
  onSelect: (tenant: Tenant) => void;
};

/** All tenants of the instance, and the form that makes one. */
export function TenantsCard({ selectedId, onSelect }: TenantsCardProps) {
  const { api } = usePlatform();
  const tenants = useInfiniteQuery(operatorQueries.tenants(api));
  const items = tenants.data?.pages.flatMap((page) => page.items);
  return (
    <Card headingLevel={3} title="Tenants">
      <CreateTenantForm onCreated={onSelect} />
      <div className="mt-4">
        {tenants.isError ? (
          <FailureNotice
            what="The tenants could not be loaded."
            cause={tenants.error}
            onRetry={() => void tenants.refetch()}
          />
        ) : items === undefined ? (
          <TenantsSkeleton />
        ) : items.length === 0 ? (
          <p className="rounded-control border border-line border-dashed px-3 py-4 text-ink-muted">
            No tenants yet. A tenant is one customer of your API: name the first one above.
          </p>
        ) : (
          <ul className="divide-y divide-line border-line border-y">
            {items.map((tenant) => (
              <TenantRow
                key={tenant.tenantId}
                tenant={tenant}
                isSelected={tenant.tenantId === selectedId}
                onSelect={onSelect}
              />
            ))}
          </ul>
        )}
      </div>
      {tenants.hasNextPage && (
        <Button
          className="mt-3 w-full"
          progress={tenants.isFetchingNextPage ? "Loading…" : undefined}
          onClick={() => void tenants.fetchNextPage()}
        >
          Show more tenants
        </Button>
      )}
    </Card>
  );
}

type TenantRowProps = {
  tenant: Tenant;
  isSelected: boolean;
  onSelect: (tenant: Tenant) => void;
};

function TenantRow({ tenant, isSelected, onSelect }: TenantRowProps) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={isSelected}
        onClick={() => onSelect(tenant)}
        className="-outline-offset-2 flex w-full cursor-pointer items-center justify-between gap-3 border-l-4 border-l-transparent px-2 py-2 text-left motion-safe:transition-colors motion-safe:duration-150 hover:bg-hover aria-pressed:border-l-accent aria-pressed:bg-sunken"
      >
        <span className="min-w-0">
          <span className="block truncate font-medium">{tenant.name}</span>
          <span className="block truncate font-mono text-ink-muted text-xs">{tenant.slug}</span>
        </span>
        {tenant.suspendedAt === null ? (
          <span className="shrink-0 text-ink-muted text-xs">{tenant.planId} plan</span>
        ) : (
          <Badge tone="danger">Suspended</Badge>
        )}
      </button>
    </li>
  );
}

function TenantsSkeleton() {
  return (
    <div role="status" aria-label="Loading tenants" className="space-y-4 py-2">
      {["first", "second", "third"].map((row) => (
        <div key={row} className="space-y-1.5">
          <Skeleton className="h-4 w-36" />
          <Skeleton className="h-3 w-20" />
        </div>
      ))}
    </div>
  );
}
