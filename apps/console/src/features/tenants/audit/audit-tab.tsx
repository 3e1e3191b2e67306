import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { EmptyState } from "@turnpike/ui/empty-state";
import ScrollText from "lucide-react/icons/scroll-text";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { nameRole } from "#platform/may-in-tenant.ts";
import { mayDo } from "../standing.view-model.ts";
import type { TabProps } from "../tab-props.ts";
import { useStanding } from "../use-standing.ts";
import { AuditLog } from "./audit-log.tsx";
import { TENANT_NOUNS } from "./audit-nouns.ts";

export type AuditTabProps = TabProps & { tenant: OwnTenant };

/** The audit trail of the current tenant, for people who may read it. */
export function AuditTab({ tenant, search, onSearchChange }: AuditTabProps) {
  const standing = useStanding(tenant);
  if (!mayDo(standing, "audit:read")) {
    return (
      <EmptyState icon={<ScrollText />} title={t`The audit log is for owners and admins`}>
        <Trans>
          Your role in {tenant.name} is {nameRole(tenant)}. The log says who changed what, and when:
          ask an owner or an admin if you need it.
        </Trans>
      </EmptyState>
    );
  }
  return (
    <AuditLog
      source={{ tenantId: tenant.tenantId }}
      nouns={TENANT_NOUNS}
      search={search}
      onSearchChange={(next) => onSearchChange({ tab: "audit", ...next })}
    />
  );
}
