import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { Environment } from "#platform/current-environment.ts";
import { formatMinute } from "#platform/format-period.ts";
import type { FailedEvent } from "./payments.queries.ts";
import { describeRetries } from "./payments.view-model.ts";
import { usePaymentChange } from "./use-payment-change.ts";

type FailedEventsProps = {
  environment: Environment;
  events: UseQueryResult<{ items: FailedEvent[]; nextCursor: string | null }>;
};

/** What the provider of payments reported and could not be applied, with the reason. Nothing while all is well. */
export function FailedEvents({ environment, events }: FailedEventsProps) {
  const { mutation, submit } = usePaymentChange({
    change: (payments) => payments.retryPaymentEvents({ environment }),
    toSuccess: describeRetries,
  });
  const items = events.data?.items;
  if (events.isError && items === undefined) {
    return (
      <FailureNotice
        what={t`What the provider reported could not be loaded.`}
        cause={events.error}
        onRetry={() => void events.refetch()}
      />
    );
  }
  if (items === undefined || items.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby="failed-events" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 id="failed-events" className="font-semibold text-base">
            <Trans>Not applied</Trans>
          </h2>
          <p className="text-ink-muted text-sm">
            <Trans>
              The payment provider reported it, and it could not be taken in. Each is tried again by
              itself.
            </Trans>
          </p>
        </div>
        <Button
          progress={mutation.isPending ? t`Trying…` : undefined}
          onClick={() => submit(undefined)}
        >
          <Trans>Try again</Trans>
        </Button>
      </div>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface">
        {items.map((event) => (
          <EventRow key={`${event.provider} ${event.eventId}`} event={event} />
        ))}
      </ul>
      {events.data?.nextCursor !== null && (
        <p className="text-ink-muted text-sm">
          <Trans>Older ones are not shown.</Trans>
        </p>
      )}
    </section>
  );
}

function EventRow({ event }: { event: FailedEvent }) {
  const { type, objectRef, receivedAt, failure, isGivenUp, nextTryAt, tries } = event;
  return (
    <li className="px-4 py-3 text-sm [overflow-wrap:anywhere]">
      <p className="font-medium">{failure}</p>
      <p className="mt-0.5 text-ink-muted">
        <Trans>
          {type} of <span className="font-mono text-xs">{objectRef}</span>, reported{" "}
          {formatMinute(receivedAt)}
        </Trans>
      </p>
      <p className="mt-0.5 text-ink-muted text-xs">
        {plural(tries, { one: "Tried once", other: `Tried ${String(tries)} times` })}
        {isGivenUp ? t`, now once a day only` : ""}
        {nextTryAt === null ? "" : t`. Next try ${formatMinute(nextTryAt)}`}
      </p>
    </li>
  );
}
