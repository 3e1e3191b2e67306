import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { BillingPlace } from "#platform/billing-queries.ts";
import { formatMinute } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { ownInLanguage } from "#platform/server-words/server-words.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { billingsQueries } from "./billings.queries.ts";
import { toEventActor } from "./event-actor.view-model.ts";

/** Everything that happened to the subscription, newest first. */
export function EventsCard({ place }: { place: BillingPlace }) {
  const { api } = usePlatform();
  const events = useInfiniteQuery(billingsQueries.events(api, place));
  const { user } = useVerifiedUser();
  // Events are shown even when the names fail to load.
  const members = useQuery(billingsQueries.memberNames(api, place.tenantId));
  const names = { readerId: user.userId, people: members.data ?? new Map<string, string>() };
  const items = events.data?.pages.flatMap((page) => page.items);
  return (
    <Card title={t`History`} description={t`Every change of the subscription and every document.`}>
      {items === undefined ? (
        events.isError ? (
          <FailureNotice
            what={t`The history could not be loaded.`}
            cause={events.error}
            onRetry={() => void events.refetch()}
          />
        ) : (
          <div role="status" aria-label={t`Loading the history`}>
            <Skeleton className="h-24 w-full" />
          </div>
        )
      ) : items.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>Nothing has happened yet.</Trans>
        </p>
      ) : (
        <ol className="divide-y divide-line tabular-nums">
          {items.map(({ sequence, at, text, actor }) => (
            <li key={sequence} className="py-2 first:pt-0 sm:flex sm:gap-4">
              <time
                dateTime={at}
                className="block w-44 shrink-0 text-ink-muted text-xs leading-5 max-sm:mb-0.5"
              >
                {formatMinute(at)}
              </time>
              <span className="min-w-0 [overflow-wrap:anywhere]">
                {ownInLanguage(text)}{" "}
                <span className="text-ink-muted text-xs whitespace-nowrap">
                  {toEventActor(actor, names)}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
      {events.hasNextPage && (
        <Button
          className="mt-3"
          progress={events.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void events.fetchNextPage()}
        >
          <Trans>Show earlier events</Trans>
        </Button>
      )}
    </Card>
  );
}
