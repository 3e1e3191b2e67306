import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { ButtonLink } from "@turnpike/ui/button-link";
import { joinClasses } from "@turnpike/ui/join-classes";
import { useSwitchTenant } from "#components/app-frame/tenant-switcher.tsx";
import { TenantMark } from "#components/tenant-mark.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { titleRole } from "#platform/may-in-tenant.ts";
import { PlanName } from "../plan-name.tsx";
import { TenantUsage } from "./tenant-usage.tsx";

export type TenantCardProps = { tenant: OwnTenant; isCurrent: boolean };

/** One of the person's tenants: their role, its plan and its usage. */
export function TenantCard({ tenant, isCurrent }: TenantCardProps) {
  const switchTo = useSwitchTenant();
  return (
    <li
      aria-current={isCurrent ? "true" : undefined}
      className={joinClasses(
        "flex min-w-0 flex-col overflow-hidden rounded-card border bg-surface",
        isCurrent ? "border-line-control" : "border-line",
      )}
    >
      <div className={joinClasses("h-1", isCurrent && "bg-accent")} aria-hidden="true" />
      <div className="flex grow flex-col gap-4 px-4 pt-3 pb-4">
        <div className="flex items-start gap-3">
          {tenant.logoId !== null && <TenantMark tenant={tenant} />}
          <div className="min-w-0 grow">
            <h2 className="font-semibold text-base [overflow-wrap:anywhere]">{tenant.name}</h2>
            <p className="font-mono text-[0.8125rem] text-ink-muted [overflow-wrap:anywhere]">
              {tenant.slug}
            </p>
          </div>
          {tenant.suspendedAt === null ? (
            isCurrent && (
              <Badge tone="accent" hasDot={false}>
                <Trans>Current</Trans>
              </Badge>
            )
          ) : (
            <Badge tone="danger">
              <Trans>Suspended</Trans>
            </Badge>
          )}
        </div>
        <dl className="grid grid-cols-2 gap-3">
          <div className="min-w-0">
            <dt className="text-ink-muted text-xs">
              <Trans>Your role</Trans>
            </dt>
            <dd className="font-medium">{titleRole(tenant)}</dd>
          </div>
          <div className="min-w-0">
            <dt className="text-ink-muted text-xs">
              <Trans>Plan</Trans>
            </dt>
            <dd className="font-medium [overflow-wrap:anywhere]">
              <PlanName tenant={tenant} />
            </dd>
          </div>
        </dl>
        <TenantUsage tenantId={tenant.tenantId} />
        <div className="mt-auto flex flex-wrap gap-2 border-line border-t pt-3">
          {isCurrent ? (
            <>
              <ButtonLink size="small" link={<Link to="/overview" />}>
                <Trans>Open overview</Trans>
              </ButtonLink>
              <ButtonLink size="small" link={<Link to="/tenants" search={{ tab: "members" }} />}>
                <Trans>Members</Trans>
              </ButtonLink>
              <ButtonLink size="small" link={<Link to="/tenants" search={{ tab: "settings" }} />}>
                <Trans>Settings</Trans>
              </ButtonLink>
            </>
          ) : (
            <Button
              size="small"
              aria-label={t`Switch to ${tenant.name}`}
              onClick={() => switchTo(tenant.slug)}
            >
              <Trans>Switch</Trans>
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}
