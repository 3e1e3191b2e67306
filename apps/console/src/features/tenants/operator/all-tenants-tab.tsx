import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { SearchField } from "@turnpike/ui/search-field";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Sheet } from "@turnpike/ui/sheet";
import Building2 from "lucide-react/icons/building-2";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { useTypedSearch } from "#components/use-typed-search.ts";
import { usePlatform } from "#platform/platform.tsx";
import { AuditList } from "../audit/audit-list.tsx";
import { operatorQueries, type Tenant } from "../tenants.queries.ts";
import { DeletedTenants } from "./deleted-tenants.tsx";
import type { OperatorProps } from "./operator-props.ts";
import { TenantActions } from "./tenant-actions.tsx";
import { TENANT_COLUMN_ROOM, useTenantColumns } from "./use-tenant-columns.tsx";

const STATES = [
  { value: "open", label: "Tenants" },
  { value: "deleted", label: "Deleted" },
] as const;

/** All tenants of the installation, for its operator. */
export function AllTenantsTab(props: OperatorProps) {
  const { search, onSearchChange } = props;
  const state = search.state ?? "open";
  return (
    <div className="space-y-4">
      <SegmentedControl
        label="Which tenants"
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
  const { q, cursor } = search;
  const tenants = useQuery({
    ...operatorQueries.tenants(api, { q, cursor }),
    placeholderData: keepPreviousData,
  });
  const usage = useQuery({
    ...operatorQueries.usageOf(api, tenants.data?.items ?? []),
    enabled: tenants.data !== undefined && tenants.data.items.length > 0,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: tenants.data?.nextCursor,
    onCursorChange: (next) =>
      onSearchChange({
        ...(q === undefined ? {} : { q }),
        ...(next === undefined ? {} : { cursor: next }),
      }),
  });
  const typed = useTypedSearch(q ?? "", (text) =>
    onSearchChange({ ...(text === "" ? {} : { q: text }) }),
  );
  const columns = useTenantColumns({ usage: usage.data, isUsageFailed: usage.isError });
  const [audited, setAudited] = useState<Tenant>();
  return (
    <div className="space-y-4">
      <SearchField
        className="sm:max-w-80"
        label="Search name or slug"
        maxLength={100}
        value={typed.text}
        onValueChange={typed.setText}
      />
      {usage.isError && (
        <FailureNotice
          what="The usage of the tenants could not be loaded."
          cause={usage.error}
          onRetry={() => void usage.refetch()}
        />
      )}
      {tenants.isError && tenants.data === undefined ? (
        <FailureNotice
          what="The tenants could not be loaded."
          cause={tenants.error}
          onRetry={() => void tenants.refetch()}
        />
      ) : (
        <DataTable
          label="All tenants"
          columns={columns}
          columnRoom={TENANT_COLUMN_ROOM}
          rows={tenants.data?.items}
          getRowId={({ tenantId }) => tenantId}
          getRowName={({ name }) => name}
          isStale={tenants.isPlaceholderData}
          getRowActions={(tenant) => <TenantActions tenant={tenant} onAudit={setAudited} />}
          empty={<NoTenants q={q} onClear={() => typed.setText("")} />}
          footer={
            <PageFooter
              trail={trail}
              count={tenants.data?.items.length}
              noun={["tenant", "tenants, newest first"]}
            />
          }
        />
      )}
      <AuditSheet tenant={audited} onClose={() => setAudited(undefined)} />
    </div>
  );
}

function NoTenants({ q, onClear }: { q: string | undefined; onClear: () => void }) {
  return q === undefined ? (
    <EmptyState
      icon={<Building2 />}
      title="No tenants yet"
      snippet={{
        subject: "Command: Create a tenant",
        code: 'npm run turnpike -- tenants create --name "Acme"',
      }}
    >
      A tenant is one customer of your API. Customers create theirs when they register, or you can
      create one for them.
    </EmptyState>
  ) : (
    <EmptyState
      icon={<Building2 />}
      title="No matching tenants"
      action={<Button onClick={onClear}>Show all tenants</Button>}
    >
      No name or slug contains “{q}”.
    </EmptyState>
  );
}

function AuditSheet({ tenant, onClose }: { tenant: Tenant | undefined; onClose: () => void }) {
  return (
    <Sheet
      isOpen={tenant !== undefined}
      onClose={onClose}
      title={`Audit log of ${tenant?.name ?? "the tenant"}`}
      description={
        tenant !== undefined && (
          <Badge tone={tenant.suspendedAt === null ? "ok" : "danger"}>
            {tenant.suspendedAt === null ? "Active" : "Suspended"}
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
