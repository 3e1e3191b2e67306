import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { UsageReport } from "@turnpike/contract/usage";
import { Badge, type Tone } from "@turnpike/ui/badge";
import { ButtonLink } from "@turnpike/ui/button-link";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { StatusDot } from "@turnpike/ui/status-dot";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount } from "#platform/format.ts";
import { formatMs } from "#platform/format-measure.ts";
import type { StepState } from "./quickstart.view-model.ts";

/** Calls are added up by the minute. */
const MINUTE_MS = 60_000;

type Calls = { total: number; found: number; rows: UsageReport["rows"] };
export type ArrivalStepProps = { state: StepState; calls: UseQueryResult<Calls> };

/** For reasons the caller can fix: the key, its limits, or the path. */
const REFUSED = ["401", "402", "403", "404", "429"];

function toneOf(status: string): Tone {
  if (status.startsWith("5")) {
    return "danger";
  }
  return /^[23]/.test(status) ? "ok" : REFUSED.includes(status) ? "warning" : "neutral";
}

/** Shows calls as they arrive, without a reload. */
export function ArrivalStep({ state, calls }: ArrivalStepProps) {
  if (calls.isError) {
    return (
      <FailureNotice
        what={t`Arriving calls could not be checked.`}
        cause={calls.error}
        onRetry={() => void calls.refetch()}
      />
    );
  }
  const total = calls.data?.total ?? 0;
  if (total === 0) {
    return state === "finished" ? (
      <p className="text-ink-muted">
        <Trans>A call has already arrived.</Trans>
      </p>
    ) : (
      <p role="status">
        <StatusDot tone="accent" isLive label={t`Listening for your first call…`} />
      </p>
    );
  }
  const isLost = calls.data?.found === 0 && state !== "finished";
  return (
    <>
      <p role="status">
        {isLost
          ? t`A call arrived, but its answer is 404: the API has no such path. Call a path that exists; in the sample it follows the address of the gateway. This step waits for such a call.`
          : plural(total, {
              one: "Your first call has arrived.",
              other: `${formatCount(total)} calls have arrived.`,
            })}
      </p>
      <ul className="divide-y divide-line rounded-control border border-line">
        {(calls.data?.rows ?? []).map((row) => (
          <CallLine key={JSON.stringify([row.time, row.group])} row={row} />
        ))}
      </ul>
      <ButtonLink link={<Link to="/analytics" />}>
        <Trans>Open analytics</Trans>
      </ButtonLink>
    </>
  );
}

function CallLine({ row }: { row: Calls["rows"][number] }) {
  const { method = "", route = "", status = "" } = row.group;
  const latency = row.values.latency_avg;
  const requests = row.values.requests ?? 0;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm">
      <Badge tone={toneOf(status)}>{status}</Badge>
      <code className="min-w-0 grow font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
        {route === "" ? t`verification of a key` : `${method} ${route}`}
      </code>
      {requests > 1 && (
        <span className="text-ink-muted tabular-nums">
          <Trans>{formatCount(requests)} calls</Trans>
        </span>
      )}
      {typeof latency === "number" && (
        <span className="text-ink-muted tabular-nums">{formatMs(latency)}</span>
      )}
      {row.time !== null && (
        <span className="text-ink-muted">
          <RelativeTime at={row.time} withinMs={MINUTE_MS} />
        </span>
      )}
    </li>
  );
}
