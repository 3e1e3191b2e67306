import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { StatusDot } from "@turnpike/ui/status-dot";
import { FailureNotice } from "#components/failure-notice.tsx";
import { subscriptionQuery } from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { alertsQuery, catalogQuery, type Limits, webhooksQuery } from "#platform/shared-queries.ts";
import { type Attention, toAttention } from "./attention.view-model.ts";
import { overviewQueries } from "./overview.queries.ts";
import { toOverviewFailure } from "./overview-failure.ts";

export type AttentionCardProps = { tenant: OwnTenant; limits: Limits | undefined };

/** What needs attention, each with the way to where it is dealt with. */
export function AttentionCard({ tenant, limits }: AttentionCardProps) {
  const { api } = usePlatform();
  const keys = useQuery(overviewQueries.keys(api, tenant.tenantId));
  const endingKeys = useQuery(overviewQueries.endingKeys(api, tenant.tenantId));
  const catalog = useQuery(catalogQuery(api));
  const lastDay = useQuery(overviewQueries.lastDay(api, tenant.tenantId));
  const webhooks = useQuery({
    ...webhooksQuery(api, tenant.tenantId),
    enabled: mayInTenant(tenant, "webhooks:read"),
  });
  const alerts = useQuery({
    ...alertsQuery(api, tenant.tenantId),
    enabled: mayInTenant(tenant, "alerts:read"),
  });
  // Without an answer, as for a role that does not see it, the card only says less.
  const subscription = useQuery({
    ...subscriptionQuery(api, { tenantId: tenant.tenantId, environment: "live" }),
    enabled: mayInTenant(tenant, "billing:read"),
  });
  const { requests, denied } = lastDay.data?.totals ?? {};
  const items = toAttention({
    suspendedAt: tenant.suspendedAt,
    subscription: subscription.data,
    limits,
    meters: catalog.data?.meters ?? [],
    keys: keys.data?.items ?? [],
    hasMoreKeys: keys.data?.nextCursor != null,
    endingKeys: endingKeys.data?.items ?? [],
    hasMoreEndingKeys: endingKeys.data?.nextCursor != null,
    lastDay: requests === undefined || denied === undefined ? undefined : { requests, denied },
    alerts: alerts.data ?? [],
    webhooks: webhooks.data ?? [],
  });
  const checks = [keys, endingKeys, lastDay, webhooks, alerts];
  const failed = checks.find((check) => check.isError && check.data === undefined);
  return (
    <Card title={t`Needs attention`}>
      {failed !== undefined && (
        <div className="mb-3">
          <FailureNotice
            what={t`Not everything could be checked.`}
            cause={toOverviewFailure(failed.error)}
            onRetry={() => {
              for (const check of checks.filter(({ isError }) => isError)) {
                void check.refetch();
              }
            }}
          />
        </div>
      )}
      {items.length === 0 ? (
        failed === undefined &&
        (checks.some(({ isLoading }) => isLoading) ? (
          <Skeleton className="h-12 w-full" />
        ) : (
          <p className="text-ink-muted">
            <Trans>
              Nothing right now: no quota is running low, no alert is firing, few calls are denied,
              and no key expires within two weeks.
            </Trans>
          </p>
        ))
      ) : (
        <ul className="space-y-3">
          {items.map((item) => (
            <li key={item.key} className="flex items-start gap-2.5">
              <span className="mt-1.5">
                <StatusDot
                  tone={item.tone}
                  label={item.tone === "danger" ? t`Urgent` : t`Worth checking`}
                  isLabelShown={false}
                />
              </span>
              <div className="min-w-0">
                {renderLink(item)}
                <p className="text-ink-muted text-xs">{item.detail}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const LINK_CLASSES = "font-medium underline-offset-4 [overflow-wrap:anywhere] hover:underline";

/** The title, which leads to the part of a screen where it can be dealt with. */
function renderLink({ to, title, keyId }: Attention) {
  switch (to) {
    case "/api-keys":
      return (
        <Link
          to="/api-keys"
          search={keyId === undefined ? {} : { key: keyId }}
          className={LINK_CLASSES}
        >
          {title}
        </Link>
      );
    case "/alerts":
      return (
        <Link to="/analytics" search={{ tab: "alerts" }} className={LINK_CLASSES}>
          {title}
        </Link>
      );
    case "/webhooks":
      return (
        <Link to="/tenants" search={{ tab: "webhooks" }} className={LINK_CLASSES}>
          {title}
        </Link>
      );
    default:
      return (
        <Link to={to} className={LINK_CLASSES}>
          {title}
        </Link>
      );
  }
}
