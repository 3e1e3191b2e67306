import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Sheet } from "@turnpike/ui/sheet";
import Building2 from "lucide-react/icons/building-2";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { usePlatform } from "#platform/platform.tsx";
import { AuditList } from "../audit/audit-list.tsx";
import { operatorQueries, type Tenant } from "../tenants.queries.ts";
import { DeletedTenants } from "./deleted-tenants.tsx";
import type { OperatorProps } from "./operator-props.ts";
import { TenantActions } from "./tenant-actions.tsx";
import { TenantFilters, toCustomerFilter } from "./tenant-filters.tsx";
import { TENANT_COLUMN_ROOM, useTenantColumns } from "./use-tenant-columns.tsx";

const STATES = [
  { value: "open", label: t`Tenants` },
  { value: "deleted", label: t`Deleted` },
] as const;

/** All tenants of the installation, for its operator. */
export function AllTenantsTab(props: OperatorProps) {
  const { search, onSearchChange } = props;
  const state = search.state ?? "open";
  return (
    <div className="space-y-4">
      <SegmentedControl
        label={t`Which tenants`}
        segments={STATES}
        value={state}
        onValueChange={(next) => onSearchChange({ ...(next === "deleted" ? { state: next } : {}) })}
      />
      {state === "deleted" ? <DeletedTenants {...props} /> : <OpenTenants {...props} />}
    </div>
  );
}

function OpenTenants({ search, onSearchChange }: OperatorProps) {
  const { api } = usePlatform();
  const { cursor, ...filter } = search;
  const { sort, ...narrowing } = filter;
  const tenants = useQuery({
    ...operatorQueries.customers(api, { ...toCustomerFilter(filter), cursor }),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: tenants.data?.nextCursor,
    onCursorChange: (next) =>
      onSearchChange({ ...filter, ...(next === undefined ? {} : { cursor: next }) }),
  });
  const columns = useTenantColumns();
  const [audited, setAudited] = useState<Tenant>();
  const isFiltered = Object.keys(toCustomerFilter(narrowing)).length > 0;
  return (
    <div className="space-y-4">
      <TenantFilters search={search} onSearchChange={onSearchChange} />
      {tenants.isError && tenants.data === undefined ? (
        <FailureNotice
          what={t`The tenants could not be loaded.`}
          cause={tenants.error}
          onRetry={() => void tenants.refetch()}
        />
      ) : (
        <DataTable
          label={t`All tenants`}
          columns={columns}
          columnRoom={TENANT_COLUMN_ROOM}
          rows={tenants.data?.items}
          getRowId={({ tenant }) => tenant.tenantId}
          getRowName={({ tenant }) => tenant.name}
          isStale={tenants.isPlaceholderData}
          getRowActions={({ tenant }) => <TenantActions tenant={tenant} onAudit={setAudited} />}
          empty={
            <NoTenants
              isFiltered={isFiltered}
              onClear={() => onSearchChange(sort === undefined ? {} : { sort })}
            />
          }
          footer={
            <PageFooter
              trail={trail}
              count={tenants.data?.items.length}
              noun={[
                t`tenant, with figures of the last minute`,
                t`tenants, with figures of the last minute`,
              ]}
            />
          }
        />
      )}
      <AuditSheet tenant={audited} onClose={() => setAudited(undefined)} />
    </div>
  );
}

function NoTenants({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  return isFiltered ? (
    <EmptyState
      icon={<Building2 />}
      title={t`No matching tenants`}
      action={
        <Button onClick={onClear}>
          <Trans>Show all tenants</Trans>
        </Button>
      }
    >
      <Trans>No tenant matches the search and the filters.</Trans>
    </EmptyState>
  ) : (
    <EmptyState
      icon={<Building2 />}
      title={t`No tenants yet`}
      snippet={{
        subject: t`Command: Create a tenant`,
        code: 'npm run turnpike -- tenants create --name "Acme"',
      }}
    >
      <Trans>
        A tenant is one customer of your API. Customers create theirs when they register, or you can
        create one for them.
      </Trans>
    </EmptyState>
  );
}

function AuditSheet({ tenant, onClose }: { tenant: Tenant | undefined; onClose: () => void }) {
  return (
    <Sheet
      isOpen={tenant !== undefined}
      onClose={onClose}
      title={t`Audit log of ${tenant?.name ?? t`the tenant`}`}
      description={
        tenant !== undefined && (
          <Badge tone={tenant.suspendedAt === null ? "ok" : "danger"}>
            {tenant.suspendedAt === null ? t`Active` : t`Suspended`}
          </Badge>
        )
      }
    >
      {tenant !== undefined && <AuditPages key={tenant.tenantId} tenant={tenant} />}
    </Sheet>
  );
}

function AuditPages({ tenant }: { tenant: Tenant }) {
  const [cursor, setCursor] = useState<string>();
  return (
    <AuditList
      source={{ tenantId: tenant.tenantId }}
      cursor={cursor}
      onCursorChange={setCursor}
      isNarrow
    />
  );
}
