import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "@turnpike/ui/card";
import { StatusDot } from "@turnpike/ui/status-dot";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { Limits } from "#platform/shared-queries.ts";
import { toAttention } from "./attention.view-model.ts";
import { overviewQueries } from "./overview.queries.ts";

export type AttentionCardProps = { tenant: OwnTenant; limits: Limits | undefined };

/** What needs attention, each with the way to where it is dealt with. */
export function AttentionCard({ tenant, limits }: AttentionCardProps) {
  const { api } = usePlatform();
  const keys = useQuery(overviewQueries.keys(api, tenant.tenantId));
  const items = toAttention({
    suspendedAt: tenant.suspendedAt,
    limits,
    keys: keys.data?.items ?? [],
    nowMs: Date.now(),
  });
  return (
    <Card title="Needs attention">
      {items.length === 0 ? (
        <p className="text-ink-muted">Nothing right now.</p>
      ) : (
        <ul className="space-y-3">
          {items.map((item) => (
            <li key={item.key} className="flex items-start gap-2.5">
              <span className="mt-1.5">
                <StatusDot
                  tone={item.tone}
                  label={item.tone === "danger" ? "Urgent" : "Soon"}
                  isLabelShown={false}
                />
              </span>
              <div className="min-w-0">
                <Link
                  to={item.to}
                  className="font-medium underline-offset-4 [overflow-wrap:anywhere] hover:underline"
                >
                  {item.title}
                </Link>
                <p className="text-ink-muted text-xs">{item.detail}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
