import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { CopyButton } from "@turnpike/ui/copy-button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import type { ReactNode } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { PlanName } from "../plan-name.tsx";
import { mayDo } from "../standing.view-model.ts";
import { useStanding } from "../use-standing.ts";
import { DeleteCard } from "./delete-card.tsx";
import { GeneralCard } from "./general-card.tsx";
import { LeaveCard } from "./leave-card.tsx";
import { LogoCard } from "./logo-card.tsx";
import { TransferCard } from "./transfer-card.tsx";

/** The settings of the current tenant. */
export function SettingsTab({ tenant }: { tenant: OwnTenant }) {
  const standing = useStanding(tenant);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <div className="min-w-0 space-y-4">
        <GeneralCard tenant={tenant} mayWrite={mayDo(standing, "tenants:write")} />
        <LogoCard tenant={tenant} mayWrite={mayDo(standing, "tenants:write")} />
        {tenant.isVisited !== true && tenant.isActed !== true && <LeaveCard tenant={tenant} />}
        {/* An operator who is no owner has the right over the tenant, and no ownership to pass on. */}
        {tenant.role === "owner" && tenant.isActed !== true && <TransferCard tenant={tenant} />}
        {mayDo(standing, "tenants:delete") && <DeleteCard tenant={tenant} />}
      </div>
      <AboutCard tenant={tenant} />
    </div>
  );
}

function AboutCard({ tenant }: { tenant: OwnTenant }) {
  return (
    <Card title={t`About this tenant`}>
      <dl className="divide-y divide-line border-line border-t">
        <Fact name={t`State`}>
          {tenant.suspendedAt === null ? (
            <Badge tone="ok">
              <Trans>Active</Trans>
            </Badge>
          ) : (
            <Badge tone="danger">
              <Trans>Suspended</Trans>
            </Badge>
          )}
        </Fact>
        <Fact name={t`Plan`}>
          <Link to="/plans" className="font-medium underline underline-offset-4">
            <PlanName tenant={tenant} />
          </Link>
        </Fact>
        <Fact name={t`Created`}>
          <RelativeTime at={tenant.createdAt} />
        </Fact>
        <div className="py-2.5">
          <dt className="flex items-center justify-between gap-3 text-ink-muted">
            <Trans>Id, for programs</Trans>
            <CopyButton value={tenant.tenantId} subject={t`tenant id`} />
          </dt>
          <dd className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{tenant.tenantId}</dd>
        </div>
      </dl>
      {tenant.suspendedAt !== null && (
        <p className="mt-2 text-ink-muted text-xs">
          {tenant.isVisited === true
            ? t`All calls are blocked until you resume this tenant in All tenants.`
            : t`All calls are blocked until the suspension is lifted. Ask the operator why.`}
        </p>
      )}
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-3 py-2.5">
      <dt className="text-ink-muted">{name}</dt>
      <dd className="min-w-0 text-right [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
