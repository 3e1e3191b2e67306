import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge, type Tone } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import { IconButton } from "@turnpike/ui/icon-button";
import { ProgressBar } from "@turnpike/ui/progress-bar";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import Download from "lucide-react/icons/download";
import FileDown from "lucide-react/icons/file-down";
import Trash2 from "lucide-react/icons/trash-2";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { formatCount, formatInstant } from "#platform/format.ts";
import { formatBytes } from "#platform/format-measure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import type { AnalyticsScope } from "../analytics.queries.ts";
import { ExportButton } from "./export-dialog.tsx";
import { exportsQueries, isUnfinished, type UsageExport } from "./exports.queries.ts";
import { useExportActions } from "./use-export-actions.ts";

const STATES: Readonly<Record<UsageExport["state"], { label: string; tone: Tone }>> = {
  waiting: { label: t`Waiting`, tone: "neutral" },
  running: { label: t`In progress`, tone: "info" },
  done: { label: t`Ready`, tone: "ok" },
  failed: { label: t`Failed`, tone: "danger" },
  cancelled: { label: t`Cancelled`, tone: "neutral" },
  expired: { label: t`Expired`, tone: "neutral" },
};

export type ExportsPanelProps = {
  scope: AnalyticsScope;
  userId: string;
  /** Without it, people may stop and delete only their own exports. */
  mayEndOthers: boolean;
};

/** The exports of the tenant, newest first, with their progress and actions. */
export function ExportsPanel({ scope, userId, mayEndOthers }: ExportsPanelProps) {
  const { api } = usePlatform();
  const exports = useQuery(exportsQueries.list(api, scope.tenantId));
  if (exports.isError && exports.data === undefined) {
    return (
      <FailureNotice
        what={t`The exports could not be loaded.`}
        cause={exports.error}
        onRetry={() => void exports.refetch()}
      />
    );
  }
  if (exports.data === undefined) {
    return (
      <div role="status" aria-label={t`Loading exports`} className="space-y-2">
        <Skeleton className="h-20 w-full rounded-card" />
        <Skeleton className="h-20 w-full rounded-card" />
      </div>
    );
  }
  if (exports.data.length === 0) {
    return (
      <div className="rounded-card border border-line bg-surface">
        <EmptyState
          icon={<FileDown />}
          title={t`No exports yet`}
          action={<ExportButton scope={scope} onBegun={() => undefined} />}
        >
          <Trans>
            An export is a file with every row of the current view, as CSV or JSON, however large.
            It is written in the background and kept for a week.{" "}
            <DocsLink page="analytics#exports">How exports work</DocsLink>
          </Trans>
        </EmptyState>
      </div>
    );
  }
  return (
    <ul
      aria-label={t`Exports`}
      className="divide-y divide-line overflow-hidden rounded-card border border-line bg-surface"
    >
      {exports.data.map((one) => (
        <ExportItem
          key={one.exportId}
          one={one}
          tenantId={scope.tenantId}
          mayEnd={mayEndOthers || one.createdBy === `user:${userId}`}
        />
      ))}
    </ul>
  );
}

type ExportItemProps = {
  one: UsageExport;
  tenantId: AnalyticsScope["tenantId"];
  mayEnd: boolean;
};

function ExportItem({ one, tenantId, mayEnd }: ExportItemProps) {
  const { download, cancel, remove } = useExportActions(tenantId);
  const { name, format, state, progress, rows, bytes } = one;
  const size = `${formatCount(rows)} ${plural(rows, { one: "row", other: "rows" })}, ${formatBytes(bytes)}`;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3">
      <div className="min-w-0 grow basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
          <span className="font-mono text-ink-muted text-xs uppercase">{format}</span>
          <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
        </p>
        <p className="mt-0.5 text-ink-muted text-xs">
          <Trans>
            {formatInstant(one.from)} to {formatInstant(one.to)} · asked{" "}
            <RelativeTime at={one.createdAt} />
            {(state === "done" || state === "expired") && ` · ${size}`}
          </Trans>
          {state === "done" && one.expiresAt !== null && (
            <>
              <Trans> · deleted</Trans> <RelativeTime at={one.expiresAt} />
            </>
          )}
        </p>
        {one.failure !== null && <p className="mt-1 text-danger">{inLanguage(one.failure)}</p>}
        {isUnfinished(one) && (
          <div className="mt-2 max-w-md">
            <ProgressBar
              label={state === "waiting" ? t`Queued` : t`In progress`}
              progress={progress}
              text={t`${formatCount(progress.done)} of ${formatCount(progress.total)} chunks, ${size}`}
            />
          </div>
        )}
      </div>
      <div className="flex gap-2">
        {state === "done" && (
          <Button
            onClick={() => download.mutate(one)}
            progress={download.isPending ? t`Preparing…` : undefined}
            aria-label={t`Download ${name}`}
          >
            <Download className="size-4 text-ink-faint" aria-hidden="true" />
            <Trans>Download</Trans>
          </Button>
        )}
        {mayEnd && isUnfinished(one) && (
          <Button
            onClick={() => cancel.mutate(one)}
            progress={cancel.isPending ? t`Stopping…` : undefined}
            aria-label={t`Cancel ${name}`}
          >
            <Trans>Cancel</Trans>
          </Button>
        )}
        {mayEnd && !isUnfinished(one) && (
          <IconButton
            label={t`Delete ${name}`}
            icon={<Trash2 />}
            onClick={() => remove.mutate(one)}
          />
        )}
      </div>
    </li>
  );
}
