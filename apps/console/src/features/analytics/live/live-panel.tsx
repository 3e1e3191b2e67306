import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { LiveCall } from "@turnpike/contract/live-calls";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import { ErrorState } from "@turnpike/ui/error-state";
import { StatusDot } from "@turnpike/ui/status-dot";
import Eraser from "lucide-react/icons/eraser";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import Radio from "lucide-react/icons/radio";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { formatCount } from "#platform/format.ts";
import { type Platform, usePlatform } from "#platform/platform.tsx";
import { joinCommaList } from "#platform/usage-query.ts";
import type { AnalyticsScope, TenantId } from "../analytics.queries.ts";
import {
  type AnalyticsView,
  countFilters,
  toUsageFilters,
} from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { CallDialog } from "../calls/call-dialog.tsx";
import { FacetFilters } from "../filters/facet-filters.tsx";
import { FilterChips } from "../filters/filter-chips.tsx";
import { useSampleCall } from "../use-sample-call.ts";
import { LiveRows } from "./live-rows.tsx";
import { createLiveTail, type LiveTail, type TailState } from "./live-tail.ts";

export type LivePanelProps = {
  scope: AnalyticsScope;
  keyNames: ReadonlyMap<string, KeyName>;
  onChange: (view: AnalyticsView) => void;
};

/** The filters of the live stream. */
export function toLiveQuery(view: AnalyticsView): string {
  const filters = Object.entries(toUsageFilters(view)).filter(([, values]) => values.length > 0);
  return new URLSearchParams(
    filters.map(([name, values]) => [name, joinCommaList(values)]),
  ).toString();
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function openTail({ config, events }: Platform, tenantId: TenantId, query: string): LiveTail {
  const url = `${config.urls.api}/v1/tenants/${tenantId}/usage/live${query === "" ? "" : `?${query}`}`;
  return createLiveTail({
    open: (signal) => events(url, signal),
    onNextFrame: (work) => void requestAnimationFrame(work),
    wait: waitFor,
    now: Date.now,
  });
}

/** The calls of the tenant as they happen. */
export function LivePanel({ scope, keyNames, onChange }: LivePanelProps) {
  const [attempt, setAttempt] = useState(0);
  const { view } = scope;
  return (
    <div className="space-y-3">
      <search aria-label={t`Filters`}>
        <div className="flex flex-wrap items-center gap-2">
          <FacetFilters scope={scope} keyNames={keyNames} onChange={onChange} />
        </div>
        <FilterChips view={view} keyNames={keyNames} onChange={onChange} />
      </search>
      <LiveStream
        // Each attempt starts over.
        key={attempt}
        scope={scope}
        keyNames={keyNames}
        onRetry={() => setAttempt(attempt + 1)}
      />
    </div>
  );
}

type LiveStreamProps = Pick<LivePanelProps, "scope" | "keyNames"> & { onRetry: () => void };

function LiveStream({ scope, keyNames, onRetry }: LiveStreamProps) {
  const platform = usePlatform();
  const { tenantId, view, timeZone } = scope;
  const query = toLiveQuery(view);
  const tail = useMemo(() => openTail(platform, tenantId, query), [platform, tenantId, query]);
  // The network is the outside system: a stream is open while this is shown.
  useEffect(() => tail.start(), [tail]);
  const [opened, setOpened] = useState<LiveCall>();
  const state = useSyncExternalStore(tail.subscribe, tail.getState, tail.getState);
  return state.connection === "refused" ? (
    <ErrorState
      title={t`Live calls are not available.`}
      reason={state.failure ?? ""}
      onRetry={onRetry}
    />
  ) : (
    <section
      aria-label={t`Live calls`}
      className="overflow-hidden rounded-card border border-line bg-surface"
    >
      <Toolbar tail={tail} state={state} />
      <LiveRows
        rows={state.rows}
        timeZone={timeZone}
        keyNames={keyNames}
        isFiltered={countFilters(view) > 0}
        onOpen={setOpened}
        empty={<NoCalls />}
      />
      <CallDialog
        scope={scope}
        keyNames={keyNames}
        requestId={opened?.requestId}
        known={opened}
        onClose={() => setOpened(undefined)}
      />
    </section>
  );
}

/** Explains what appears here, with a sample call. */
function NoCalls() {
  const snippet = useSampleCall();
  return (
    <EmptyState
      icon={<Radio />}
      title={t`Waiting for calls`}
      {...(snippet !== undefined && { snippet })}
    >
      <Trans>
        Calls appear here as they happen, including denied calls. Send one with a key of this tenant
        to see it. <DocsLink page="analytics#live-calls">How live calls work</DocsLink>
      </Trans>
    </EmptyState>
  );
}

/** The state in words. Screen readers announce it only when it changes, not with every call. */
function toStatus({ connection, isPaused, isWhole }: TailState) {
  if (connection === "connecting") {
    return { tone: "neutral", label: t`Connecting…` } as const;
  }
  if (connection === "lost") {
    return { tone: "warning", label: t`Connection lost. Trying again…` } as const;
  }
  if (isPaused) {
    return { tone: "neutral", label: t`Paused` } as const;
  }
  return isWhole
    ? ({ tone: "ok", label: t`Live` } as const)
    : ({ tone: "warning", label: t`Live, from one process only` } as const);
}

function Toolbar({ tail, state }: { tail: LiveTail; state: TailState }) {
  const { isPaused, rows, held, heldLost, dropped } = state;
  const status = toStatus(state);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-3 py-2">
      <div role="status" className="min-w-0">
        <StatusDot {...status} isLive={status.tone === "ok"} />
      </div>
      <p className="grow text-ink-muted text-xs tabular-nums">
        <Trans>
          {formatCount(rows.length)} shown
          {held > 0 && t`, ${formatCount(held)} new`}
          {heldLost > 0 && t`, ${formatCount(heldLost)} older ones dropped`}
          {dropped > 0 && t`, ${formatCount(dropped)} came too fast to be shown`}
        </Trans>
      </p>
      <div className="flex gap-2">
        <Button size="small" onClick={isPaused ? tail.resume : tail.pause}>
          {isPaused ? (
            <Play className="size-3.5" aria-hidden="true" />
          ) : (
            <Pause className="size-3.5" aria-hidden="true" />
          )}
          {isPaused ? t`Resume` : t`Pause`}
        </Button>
        <Button size="small" onClick={tail.clear} disabled={rows.length === 0}>
          <Eraser className="size-3.5" aria-hidden="true" />
          <Trans>Clear</Trans>
        </Button>
      </div>
    </div>
  );
}
