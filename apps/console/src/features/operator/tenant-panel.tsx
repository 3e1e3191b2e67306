import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { CopyButton } from "@turnpike/ui/copy-button";
import { CreateKeyForm } from "./create-key-form.tsx";
import type { Tenant } from "./operator.queries.ts";
import { UsagePanel } from "./usage-panel.tsx";

export type TenantPanelProps = {
  tenant: Tenant | undefined;
  onKeyShown: (key: string | undefined) => void;
};

/** One tenant: its usage against its limits, and a key for it. */
export function TenantPanel({ tenant, onKeyShown }: TenantPanelProps) {
  if (tenant === undefined) {
    return (
      <Card headingLevel={3} title="Usage and keys">
        <p className="rounded-control border border-line border-dashed px-3 py-4 text-ink-muted">
          Choose a tenant to see what it has used this period and to make a key for it.
        </p>
      </Card>
    );
  }
  return (
    <Card
      headingLevel={3}
      title={<span className="[overflow-wrap:anywhere]">{tenant.name}</span>}
      description={
        <span className="flex flex-wrap items-center gap-x-1">
          <code className="font-mono text-xs [overflow-wrap:anywhere]">{tenant.tenantId}</code>
          <CopyButton value={tenant.tenantId} subject="tenant id" />
        </span>
      }
      aside={<Badge>{`Plan ${tenant.planId}, version ${String(tenant.planVersion)}`}</Badge>}
    >
      <CreateKeyForm tenantId={tenant.tenantId} onKeyShown={onKeyShown} />
      <UsagePanel tenantId={tenant.tenantId} />
    </Card>
  );
}
