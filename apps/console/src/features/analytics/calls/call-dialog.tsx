import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { RecordedCall } from "@turnpike/contract/calls";
import type { LiveCall } from "@turnpike/contract/live-calls";
import { CopyButton } from "@turnpike/ui/copy-button";
import { Dialog } from "@turnpike/ui/dialog";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type ReactNode, useMemo } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { formatBytes } from "#platform/format-measure.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { AnalyticsScope } from "../analytics.queries.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { createClock, toLiveRow } from "../live/live-row.view-model.ts";
import { callsQueries } from "./calls.queries.ts";

export type CallDialogProps = {
  scope: AnalyticsScope;
  keyNames: ReadonlyMap<string, KeyName>;
  /** Undefined while no call is open. */
  requestId: string | undefined;
  /** What is known of it already: a call that has just ended may not be kept yet. */
  known?: LiveCall | undefined;
  onClose: () => void;
};

/** Everything that is kept of one call. */
export function CallDialog({ scope, keyNames, requestId, known, onClose }: CallDialogProps) {
  return (
    <Dialog isOpen={requestId !== undefined} onClose={onClose} title={t`Call`}>
      {requestId !== undefined && <Content {...{ scope, keyNames, requestId, known }} />}
    </Dialog>
  );
}

/** Where anyone who may see the tenant's usage finds the call again. */
function toCallAddress(requestId: string): string {
  const { origin, pathname, search } = window.location;
  const tenant = new URLSearchParams(search).get("tenant");
  const query = new URLSearchParams({ tab: "calls", request: requestId });
  if (tenant !== null) {
    query.set("tenant", tenant);
  }
  return `${origin}${pathname}?${query.toString()}`;
}

type ContentProps = Omit<CallDialogProps, "onClose" | "requestId"> & { requestId: string };

function Content({ scope, keyNames, requestId, known }: ContentProps) {
  const found = useQuery(callsQueries.one(usePlatform().api, scope.tenantId, requestId));
  const call = found.data ?? known;
  if (call !== undefined) {
    return <Facts call={call} zone={scope.timeZone} keyNames={keyNames} />;
  }
  if (!found.isError) {
    return (
      <div role="status" aria-label={t`Loading the call`}>
        <Skeleton className="h-48 w-full" />
      </div>
    );
  }
  return (
    <>
      <FailureNotice
        what={t`This call could not be found.`}
        cause={found.error}
        onRetry={() => void found.refetch()}
      />
      <p className="mt-3 text-ink-muted">
        <Trans>
          Recent calls are kept for some days, and of many in one minute only some.{" "}
          <DocsLink page="analytics#recent-calls">Which calls are kept</DocsLink>
        </Trans>
      </p>
    </>
  );
}

type FactsProps = {
  call: LiveCall | RecordedCall;
  zone: string;
  keyNames: ReadonlyMap<string, KeyName>;
};

function Facts({ call, zone, keyNames }: FactsProps) {
  const clock = useMemo(() => createClock(zone, { hasDate: true }), [zone]);
  const row = toLiveRow(call, { clock, keyNames });
  const { requestId, bytesIn, bytesOut } = call;
  return (
    <>
      <dl className="grid gap-x-4 gap-y-1.5 sm:grid-cols-[7rem_minmax(0,1fr)]">
        <Fact name={t`Request`}>
          <code className="font-mono text-xs">{requestId}</code>{" "}
          <CopyButton value={requestId} subject={t`request id`} />
        </Fact>
        <Fact name={t`Time`}>
          {row.time} <span className="text-ink-muted">{zone}</span>
        </Fact>
        <Fact name={t`Call`}>
          <code className="font-mono text-xs">{`${row.method} ${row.route}`.trim()}</code>
        </Fact>
        <Fact name={t`Status`}>
          <span className={joinClasses(row.isAlarm && "font-medium text-danger")}>
            {row.status}
          </span>
        </Fact>
        <Fact name={t`Outcome`}>
          <span className={joinClasses(row.isAlarm && "font-medium text-danger")}>
            {row.outcome}
          </span>{" "}
          <code className="font-mono text-ink-muted text-xs">{row.code}</code>
        </Fact>
        <Fact name={t`Key`}>
          {row.key} <code className="font-mono text-ink-muted text-xs">{call.keyId}</code>
        </Fact>
        <Fact name={t`Environment`}>{call.environment}</Fact>
        {"meterId" in call && (
          <Fact name={t`Counted as`}>
            {call.units === 0
              ? t`nothing: this call is not billed`
              : t`${formatCount(call.units)} of ${call.meterId}`}
          </Fact>
        )}
        {row.model !== "" && (
          <Fact name={t`Model`}>
            <code className="font-mono text-xs">{row.model}</code>
          </Fact>
        )}
        {call.tokens !== null && (
          <Fact name={t`Tokens`}>
            <Tokens {...call.tokens} />
          </Fact>
        )}
        <Fact name={t`Latency`}>{row.latency === "" ? t`not measured` : row.latency}</Fact>
        <Fact name={t`Body sent`}>{bytesIn === null ? t`not measured` : formatBytes(bytesIn)}</Fact>
        <Fact name={t`Body received`}>
          {bytesOut === null ? t`not measured` : formatBytes(bytesOut)}
        </Fact>
      </dl>
      <p className="mt-4 flex flex-wrap items-center gap-2 text-ink-muted text-xs">
        <Trans>Anyone who may see this usage finds the call by its link.</Trans>
        <CopyButton value={toCallAddress(requestId)} subject={t`link to this call`} />
      </p>
    </>
  );
}

/** What a call used, by kind; kinds of caches only where there were any. */
function Tokens({ input, cacheRead, cacheWrite, output }: NonNullable<LiveCall["tokens"]>) {
  const parts = [
    t`${formatCount(input)} in`,
    ...(cacheRead > 0 ? [t`${formatCount(cacheRead)} in from a cache`] : []),
    ...(cacheWrite > 0 ? [t`${formatCount(cacheWrite)} in written to a cache`] : []),
    t`${formatCount(output)} out`,
  ];
  return <>{parts.join(" · ")}</>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere] max-sm:mb-1.5">{children}</dd>
    </>
  );
}
