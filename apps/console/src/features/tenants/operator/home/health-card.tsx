import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { instanceQueries } from "../../health/instance.queries.ts";
import { toPartLabel, VERDICTS } from "../../health/readiness.view-model.ts";

/** In one line whether everything works, and what does not. */
export function HealthCard() {
  const { data, isError, error, refetch } = useQuery(instanceQueries.readiness());
  const troubled = data?.parts.filter(({ status }) => status !== "ok") ?? [];
  return (
    <Card
      title={t`Health`}
      aside={
        data !== undefined &&
        !isError && <Badge tone={VERDICTS[data.status].tone}>{VERDICTS[data.status].label}</Badge>
      }
    >
      {isError ? (
        <FailureNotice
          what={t`The status could not be loaded.`}
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : data === undefined ? (
        <Skeleton className="h-10 w-full opacity-50" />
      ) : (
        <>
          <p>{VERDICTS[data.status].sentence}</p>
          {troubled.length > 0 && (
            <ul className="mt-2 space-y-1 text-ink-muted">
              {troubled.map(({ name, detail }) => (
                <li key={name} className="[overflow-wrap:anywhere]">
                  <span className="font-medium text-ink">{toPartLabel(name)}</span>: {detail}
                </li>
              ))}
            </ul>
          )}
          <Link
            to="/operator/health"
            className="mt-2 inline-block font-medium underline underline-offset-4"
          >
            <Trans>Every part</Trans>
          </Link>
        </>
      )}
    </Card>
  );
}
