import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { joinClasses } from "@turnpike/ui/join-classes";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatInstant } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Key, keysQueries, type TenantId } from "../api-keys.queries.ts";
import { toMakerName } from "../key.view-model.ts";
import { hasMaking, toTrailLine } from "./key-trail.view-model.ts";

export type KeyTrailProps = {
  tenantId: TenantId;
  subject: Key;
  people: ReadonlyMap<string, string>;
};

/** The audit trail of one key, newest first. */
export function KeyTrail({ tenantId, subject, people }: KeyTrailProps) {
  const { api } = usePlatform();
  const trail = useInfiniteQuery(keysQueries.trail(api, tenantId, subject.keyId));
  const entries = trail.data?.pages.flatMap((page) => page.items);
  return (
    <Card title={t`Audit trail`} description={t`Changes to this key and the people who made them.`}>
      {trail.isError && (
        <FailureNotice
          what={t`The audit trail could not be loaded.`}
          cause={trail.error}
          onRetry={() => void trail.refetch()}
        />
      )}
      {entries === undefined && !trail.isError && (
        <div role="status" aria-label={t`Loading: Audit trail`}>
          <Skeleton className="h-16 w-full opacity-50" />
        </div>
      )}
      <ol className="space-y-3">
        {entries?.map((entry) => {
          const { title, details, actor } = toTrailLine(entry, people);
          return (
            <li key={entry.auditId} className="flex items-baseline justify-between gap-3">
              <div className="min-w-0 [overflow-wrap:anywhere]">
                <p>
                  <span className="font-medium">{title}</span>{" "}
                  <span className="text-ink-muted">
                    <Trans>by {actor}</Trans>
                  </span>
                </p>
                {details.map((detail) => (
                  <p key={detail} className="text-ink-muted text-xs">
                    {detail}
                  </p>
                ))}
              </div>
              <span className="shrink-0 text-ink-muted text-xs">
                <RelativeTime at={entry.occurredAt} />
              </span>
            </li>
          );
        })}
      </ol>
      {entries !== undefined && !trail.hasNextPage && !hasMaking(entries) && (
        <p className={joinClasses("text-ink-muted", entries.length > 0 && "mt-3")}>
          <Trans>
            This key was added on {formatInstant(subject.createdAt)} by{" "}
            {toMakerName(subject.createdBy, people)}
            {entries.length === 0 ? t`; nothing has been recorded since.` : "."}
          </Trans>
        </p>
      )}
      {trail.hasNextPage && (
        <Button
          size="small"
          className="mt-3"
          progress={trail.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void trail.fetchNextPage()}
        >
          <Trans>Show older</Trans>
        </Button>
      )}
    </Card>
  );
}
