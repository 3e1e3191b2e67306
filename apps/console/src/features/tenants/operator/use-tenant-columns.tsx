import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import type { Column } from "@turnpike/ui/column";
import { CompactNumber } from "@turnpike/ui/compact-number";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { findStandingBadge } from "#components/billing/subscription.view-model.ts";
import { formatShare } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import type { Customer } from "../tenants.queries.ts";
import { PlanCell } from "./plan-cell.tsx";

/** From here on calls are refused, or cost extra. */
const FULL_PERCENT = 100;

/** The width of each column, the most important first. */
export const TENANT_COLUMN_ROOM: ColumnRoom = [
  ["tenant", 200],
  ["state", 128],
  ["plan", 176],
  ["usage", 130],
  ["quota", 110],
  ["revenue", 120],
  ["activity", 120],
  ["created", 120],
];

/** The columns of a tenant in the operator's list. */
export function useTenantColumns(): readonly Column<Customer>[] {
  const catalog = useQuery(catalogQuery(usePlatform().api));
  const plans = catalog.data?.plans ?? [];
  return [
    {
      id: "tenant",
      header: t`Tenant`,
      phone: "title",
      className: "md:min-w-44",
      cell: ({ tenant }) => (
        <div className="min-w-0">
          <Link
            to="/overview"
            search={{ tenant: tenant.slug }}
            className="font-medium underline decoration-line-control underline-offset-4 [overflow-wrap:anywhere] hover:decoration-current"
          >
            {tenant.name}
          </Link>
          <p className="font-mono font-normal text-ink-muted text-xs [overflow-wrap:anywhere]">
            {tenant.slug}
          </p>
        </div>
      ),
    },
    {
      id: "state",
      header: t`State`,
      className: "md:w-32",
      cell: (customer) => <TenantState {...customer} />,
    },
    {
      id: "plan",
      header: t`Plan`,
      className: "md:w-44",
      cell: ({ tenant }) => <PlanCell tenant={tenant} plans={plans} />,
    },
    {
      id: "usage",
      header: t`Used this period`,
      align: "end",
      className: "md:w-36",
      cell: ({ used }) => (
        <CompactNumber value={Number(used)} unit="requests" isFocusable={false} />
      ),
    },
    {
      id: "quota",
      header: t`Of quota`,
      align: "end",
      className: "md:w-28",
      cell: ({ quotaPercent }) =>
        quotaPercent === null ? (
          <span className="text-ink-muted">–</span>
        ) : (
          <span className={quotaPercent >= FULL_PERCENT ? "font-medium text-danger" : undefined}>
            {formatShare(quotaPercent / 100)}
          </span>
        ),
    },
    {
      id: "revenue",
      header: t`Revenue a month`,
      align: "end",
      className: "md:w-36",
      cell: ({ revenue }) =>
        revenue === null ? (
          <span className="text-ink-muted">–</span>
        ) : (
          formatMoney(revenue.amount, revenue.currency)
        ),
    },
    {
      id: "activity",
      header: t`Last call`,
      className: "md:w-32",
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <span className="text-ink-muted">
            <Trans>Never</Trans>
          </span>
        ) : (
          <RelativeTime at={lastUsedAt} isFocusable={false} />
        ),
    },
    {
      id: "created",
      header: t`Created`,
      className: "md:w-32",
      cell: ({ tenant }) => <RelativeTime at={tenant.createdAt} isFocusable={false} />,
    },
  ];
}

function TenantState({ tenant, standing }: Customer) {
  const payment = findStandingBadge(standing);
  return (
    <div className="flex flex-wrap gap-1">
      {tenant.suspendedAt === null ? (
        payment === undefined && (
          <Badge tone="ok">
            <Trans>Active</Trans>
          </Badge>
        )
      ) : (
        <Badge tone="danger">
          <Trans>Suspended</Trans>
        </Badge>
      )}
      {payment !== undefined && <Badge tone={payment.tone}>{payment.label}</Badge>}
    </div>
  );
}
