import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { CodeTabs } from "@turnpike/ui/code-tabs";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Sheet } from "@turnpike/ui/sheet";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type ReactNode, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { Meter } from "#platform/shared-queries.ts";
import { describeCounting, describeDimensions, toEventSamples } from "./meter.view-model.ts";
import { type MeterActivity, metersQueries } from "./meters.queries.ts";

export type MeterSheetProps = {
  /** Undefined: closed. */
  meter: Meter | undefined;
  onClose: () => void;
  onChange: (meter: Meter) => void;
};

/** One meter next to the list: what it counts, whether events arrive, and its versions. */
export function MeterSheet({ meter, onClose, onChange }: MeterSheetProps) {
  return (
    <Sheet
      isOpen={meter !== undefined}
      onClose={onClose}
      title={meter?.name ?? t`Meter`}
      {...(meter !== undefined && {
        description: <code className="font-mono text-xs">{meter.meterId}</code>,
      })}
    >
      {meter !== undefined && <Details meter={meter} onChange={onChange} />}
    </Sheet>
  );
}

function Details({ meter, onChange }: { meter: Meter; onChange: (meter: Meter) => void }) {
  const isOfEvents = meter.eventType !== undefined;
  return (
    <div className="space-y-6">
      <div className="flex items-start justify-between gap-3 max-sm:flex-col">
        <dl className="grid min-w-0 grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 [&_dt]:text-ink-muted">
          <dt>
            <Trans>Counts</Trans>
          </dt>
          <dd className="[overflow-wrap:anywhere]">{describeCounting(meter)}</dd>
          <dt>
            <Trans>Of</Trans>
          </dt>
          <dd className="[overflow-wrap:anywhere]">
            {isOfEvents ? <code className="font-mono text-xs">{meter.eventType}</code> : t`calls`}
          </dd>
          <dt>
            <Trans>Unit</Trans>
          </dt>
          <dd className="[overflow-wrap:anywhere]">{meter.unit}</dd>
          {isOfEvents && (
            <>
              <dt>
                <Trans>Dimensions</Trans>
              </dt>
              <dd className="[overflow-wrap:anywhere]">{describeDimensions(meter)}</dd>
            </>
          )}
        </dl>
        <Button onClick={() => onChange(meter)}>
          <Trans>Change meter</Trans>
        </Button>
      </div>
      {isOfEvents && <FirstEvent meter={meter} />}
      <Versions meterId={meter.meterId} />
    </div>
  );
}

/** Shows whether events arrive, live, and how to send the first one. */
function FirstEvent({ meter }: { meter: Meter }) {
  const { api, config } = usePlatform();
  const tenant = useCurrentTenant();
  const [language, setLanguage] = useState("curl");
  const activity = useQuery(metersQueries.activity(api, true));
  const seen = activity.data?.get(meter.meterId);
  return (
    <section aria-labelledby="first-event" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id="first-event" className="font-semibold">
          <Trans>Send an event</Trans>
        </h3>
        <div aria-live="polite">
          {activity.isError && activity.data === undefined ? (
            <Badge tone="warning">
              <Trans>Unknown</Trans>
            </Badge>
          ) : (
            <Seen seen={seen} isLoading={activity.isPending} />
          )}
        </div>
      </div>
      <CodeTabs
        subject={t`Send an event`}
        snippets={toEventSamples(meter, {
          apiUrl: config.urls.api,
          subject: tenant?.tenantId,
        }).map(({ id, language: label, code, note }) => ({ id, language: label, code, note }))}
        value={language}
        onValueChange={setLanguage}
      />
      <p className="text-ink-muted text-xs">
        <Trans>
          <code className="font-mono">SERVICE_KEY</code> is a{" "}
          <Link to="/operator/service-keys" className="underline underline-offset-4">
            service key
          </Link>{" "}
          with the scope <code className="font-mono">events:write</code>.{" "}
          {tenant === undefined ? (
            <Trans>
              <code className="font-mono">TENANT_ID</code> is the tenant the event is about: its id,
              which <code className="font-mono">turnpike tenants list</code> prints, or the external
              id you gave it.
            </Trans>
          ) : (
            t`The event is about ${tenant.name}.`
          )}{" "}
          Refused events are listed with their reason under{" "}
          <Link to="/plans" search={{ tab: "rejected" }} className="underline underline-offset-4">
            Rejected events
          </Link>
          .
        </Trans>
      </p>
    </section>
  );
}

function Seen({
  seen,
  isLoading,
}: {
  seen: MeterActivity | undefined;
  isLoading: boolean;
}): ReactNode {
  if (isLoading) {
    return <Skeleton className="h-6 w-40" />;
  }
  if (seen === undefined || seen.lastEventAt === null) {
    return (
      <Badge>
        <Trans>Waiting for the first event</Trans>
      </Badge>
    );
  }
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone="ok">
        <Trans>Receiving events</Trans>
      </Badge>
      <span className="text-ink-muted text-xs tabular-nums">
        <Trans>{formatCount(seen.events)} in 24 hours, last</Trans>{" "}
        <RelativeTime at={seen.lastEventAt} />
      </span>
    </span>
  );
}

function Versions({ meterId }: { meterId: string }) {
  const { api } = usePlatform();
  const versions = useQuery(metersQueries.versions(api, meterId));
  return (
    <section aria-labelledby="versions" className="space-y-2">
      <h3 id="versions" className="font-semibold">
        <Trans>Versions</Trans>
      </h3>
      {versions.isError && versions.data === undefined && (
        <FailureNotice
          what={t`The versions could not be loaded.`}
          cause={versions.error}
          onRetry={() => void versions.refetch()}
        />
      )}
      {versions.isPending && <Skeleton className="h-16" />}
      <ol className="divide-y divide-line border-line border-y empty:hidden">
        {versions.data?.map((version) => (
          <li key={version.version} className="flex flex-wrap justify-between gap-x-3 py-2">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <span className="font-medium tabular-nums">
                <Trans>Version {version.version}</Trans>
              </span>
              <span className="block text-ink-muted text-xs">
                {describeCounting(version)}
                {version.eventType !== undefined &&
                  t`, ${version.eventType}, by ${describeDimensions(version)}`}
              </span>
            </span>
            <span className="text-ink-muted">
              <RelativeTime at={version.publishedAt} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
