import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { instanceQueries } from "./instance.queries.ts";
import type { Readiness } from "./readiness.ts";
import { toPartLabel, toPartStatus, VERDICTS } from "./readiness.view-model.ts";

/** The current health of the instance, by component. */
export function ReadinessCard() {
  const readiness = useQuery(instanceQueries.readiness());
  // A report from before the failure may be out of date.
  if (readiness.isError) {
    return (
      <Card title={t`Status of this instance`}>
        <FailureNotice
          what={t`The status could not be loaded.`}
          cause={readiness.error}
          wayOn={t`Check that the server is running.`}
          onRetry={() => void readiness.refetch()}
        />
      </Card>
    );
  }
  const report = readiness.data;
  return (
    <Card
      title={t`Status of this instance`}
      aside={
        report === undefined ? (
          <Skeleton className="h-6 w-20 rounded-full" />
        ) : (
          <Badge tone={VERDICTS[report.status].tone}>{VERDICTS[report.status].label}</Badge>
        )
      }
    >
      {report === undefined ? <ReadinessSkeleton /> : <ReadinessReport report={report} />}
    </Card>
  );
}

function ReadinessReport({ report }: { report: Readiness }) {
  return (
    <>
      <p role="status" className="text-ink-muted">
        {VERDICTS[report.status].sentence}
      </p>
      <ul className="mt-3 divide-y divide-line border-line border-t">
        {report.parts.map((part) => (
          <li key={part.name} className="flex items-start justify-between gap-3 py-2">
            <div className="min-w-0">
              <p>{toPartLabel(part.name)}</p>
              {part.detail !== undefined && (
                <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">
                  {inLanguage(part.detail)}
                </p>
              )}
            </div>
            <Badge tone={toPartStatus(part.status).tone}>{toPartStatus(part.status).label}</Badge>
          </li>
        ))}
      </ul>
    </>
  );
}

function ReadinessSkeleton() {
  return (
    <div role="status" aria-label={t`Loading the status`} className="space-y-4 py-1">
      <Skeleton className="h-4 w-40" />
      {["database", "journal", "changes"].map((row) => (
        <div key={row} className="flex justify-between">
          <Skeleton className="h-4 w-24" />
          <Skeleton className="h-4 w-16" />
        </div>
      ))}
    </div>
  );
}
