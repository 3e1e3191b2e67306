import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "@turnpike/ui/card";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { exhaustionQuery } from "#platform/forecast-queries.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type ExhaustionView, toExhaustionView } from "./exhaustion.view-model.ts";

/** When quotas, the spend cap and credit run out. */
export function ExhaustionCard({ tenant: { tenantId } }: { tenant: OwnTenant }) {
  const exhaustion = useQuery(exhaustionQuery(usePlatform().api, tenantId));
  const { data } = exhaustion;
  return (
    <Card title={t`What runs out`} description={t`Within 90 days, if usage comes as forecast.`}>
      {data === undefined ? (
        exhaustion.isError ? (
          <FailureNotice
            what={t`What runs out could not be loaded.`}
            cause={exhaustion.error}
            onRetry={() => void exhaustion.refetch()}
          />
        ) : (
          <Skeleton className="h-24 w-full" />
        )
      ) : data.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>The plan has no quotas, and there is neither a spend cap nor credit.</Trans>
        </p>
      ) : (
        <ul className="space-y-5">
          {data.map(toExhaustionView).map((view) => (
            <Item key={view.key} view={view} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Item({ view }: { view: ExhaustionView }) {
  const { name, left, share, when, tone, action } = view;
  return (
    <li>
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">{name}</span>
        <span className="text-ink-muted text-xs tabular-nums">{left}</span>
      </div>
      <MeterBar
        share={share}
        tone={tone === "danger" || tone === "warning" ? tone : "accent"}
        label={`${name}: ${left}`}
      />
      <p className="mt-1.5">
        {when}{" "}
        {action !== undefined && (
          <Link to={action.to} className="font-medium underline underline-offset-4">
            {action.label}
          </Link>
        )}
      </p>
    </li>
  );
}
