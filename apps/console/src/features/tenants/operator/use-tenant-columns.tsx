import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import type { Column } from "@turnpike/ui/column";
import { CompactNumber } from "@turnpike/ui/compact-number";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import type { Tenant } from "../tenants.queries.ts";
import { PlanCell } from "./plan-cell.tsx";

export type TenantColumnsInput = {
  /** Requests of the current period by tenant; undefined while it loads. */
  usage: ReadonlyMap<string, number> | undefined;
  isUsageFailed: boolean;
};

/** The width of each column, the most important first. */
export const TENANT_COLUMN_ROOM: ColumnRoom = [
  ["tenant", 200],
  ["state", 128],
  ["plan", 192],
  ["usage", 150],
  ["created", 120],
];

/** The columns of a tenant in the operator's list. */
export function useTenantColumns(input: TenantColumnsInput): readonly Column<Tenant>[] {
  const { usage, isUsageFailed } = input;
  const catalog = useQuery(catalogQuery(usePlatform().api));
  const plans = catalog.data?.plans ?? [];
  return [
    {
      id: "tenant",
      header: "Tenant",
      phone: "title",
      className: "md:min-w-44",
      cell: (tenant) => (
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
      header: "State",
      className: "md:w-32",
      cell: ({ suspendedAt }) =>
        suspendedAt === null ? (
          <Badge tone="ok">Active</Badge>
        ) : (
          <Badge tone="danger">Suspended</Badge>
        ),
    },
    {
      id: "usage",
      header: "Used this period",
      align: "end",
      className: "md:w-44",
      cell: ({ tenantId }) =>
        usage !== undefined ? (
          <CompactNumber value={usage.get(tenantId) ?? 0} unit="requests" isFocusable={false} />
        ) : isUsageFailed ? (
          "–"
        ) : (
          <Skeleton className="ml-auto h-4 w-14" />
        ),
    },
    {
      id: "plan",
      header: "Plan",
      className: "md:w-48",
      cell: (tenant) => <PlanCell tenant={tenant} plans={plans} />,
    },
    {
      id: "created",
      header: "Created",
      className: "md:w-36",
      cell: ({ createdAt }) => <RelativeTime at={createdAt} isFocusable={false} />,
    },
  ];
}
