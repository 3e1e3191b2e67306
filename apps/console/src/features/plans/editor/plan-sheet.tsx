import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Sheet } from "@turnpike/ui/sheet";
import { Skeleton } from "@turnpike/ui/skeleton";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toMonthlyPrice } from "#components/plan.view-model.ts";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { CatalogueRow } from "./catalogue-rows.view-model.ts";
import { ChangeList } from "./change-list.tsx";
import { editorQueries, type PlanVersion } from "./editor.queries.ts";
import { MigrationList } from "./migration/migration-list.tsx";
import { MoveDialog } from "./migration/move-dialog.tsx";

export type PlanSheetProps = {
  /** The open plan; undefined closes. */
  row: CatalogueRow | undefined;
  onClose: () => void;
  onEdit: (planId: string) => void;
};

/** The versions of a plan, newest first, with what each one changed and how many tenants are on it. */
export function PlanSheet({ row, onClose, onEdit }: PlanSheetProps) {
  return (
    <Sheet
      isOpen={row !== undefined}
      onClose={onClose}
      title={row?.name ?? t`Plan`}
      description={
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-mono text-xs">{row?.planId}</span>
          {row?.states.map(({ label, tone }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ))}
        </span>
      }
      footer={
        row !== undefined && (
          <Button look="primary" onClick={() => onEdit(row.planId)}>
            {row.hasDraft ? t`Edit draft` : t`Draft a change`}
          </Button>
        )
      }
    >
      {row?.version !== undefined && (
        <>
          <Versions key={row.planId} planId={row.planId} />
          <Moves planId={row.planId} name={row.name} version={row.version} />
        </>
      )}
    </Sheet>
  );
}

type MovesProps = { planId: string; name: string; version: number };

/** Moving those on earlier versions to the newest one. */
function Moves({ planId, name, version }: MovesProps) {
  const subscribers = useQuery(editorQueries.subscribers(usePlatform().api, planId));
  const [isMoving, setIsMoving] = useState(false);
  const versions = [...(subscribers.data?.byVersion.keys() ?? [])];
  const hasEarlier = versions.some((each) => each !== version);
  return (
    <>
      {hasEarlier && (
        <Button className="mt-3" onClick={() => setIsMoving(true)}>
          <Trans>Move subscribers to version {version}…</Trans>
        </Button>
      )}
      <MigrationList planId={planId} />
      <MoveDialog
        planId={planId}
        name={name}
        version={version}
        isOpen={isMoving}
        onClose={() => setIsMoving(false)}
      />
    </>
  );
}

function Versions({ planId }: { planId: string }) {
  const { api } = usePlatform();
  const versions = useInfiniteQuery(editorQueries.versions(api, planId));
  const subscribers = useQuery(editorQueries.subscribers(api, planId));
  const items = versions.data?.pages.flatMap((page) => page.items);
  if (items === undefined) {
    return versions.isError ? (
      <FailureNotice
        what={t`The versions could not be loaded.`}
        cause={versions.error}
        onRetry={() => void versions.refetch()}
      />
    ) : (
      <div role="status" aria-label={t`Loading the versions`} className="space-y-2">
        <Skeleton className="h-14 w-full" />
        <Skeleton className="h-14 w-full" />
      </div>
    );
  }
  return (
    <section aria-labelledby="plan-versions">
      <h3 id="plan-versions" className="mb-2 font-semibold">
        <Trans>Versions</Trans>
      </h3>
      <ol className="divide-y divide-line border-line border-y">
        {items.map((version, index) => (
          <Version
            key={version.version}
            planId={planId}
            version={version}
            isNewest={index === 0}
            before={items[index + 1]?.version}
            subscribers={subscribers.data?.byVersion.get(version.version)}
          />
        ))}
      </ol>
      {versions.hasNextPage && (
        <Button
          className="mt-3"
          progress={versions.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void versions.fetchNextPage()}
        >
          <Trans>Show earlier versions</Trans>
        </Button>
      )}
    </section>
  );
}

type VersionProps = {
  planId: string;
  version: PlanVersion;
  isNewest: boolean;
  /** The version before it; undefined for the first. */
  before: number | undefined;
  subscribers: number | undefined;
};

function Version({ planId, version, isNewest, before, subscribers }: VersionProps) {
  const [isOpen, setIsOpen] = useState(isNewest);
  return (
    <li className="py-2.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <p className="font-medium tabular-nums">
          <Trans>
            Version {version.version}
            <span className="ml-2 font-normal text-ink-muted">{toMonthlyPrice(version)}</span>
          </Trans>
        </p>
        <span className="text-ink-muted text-xs">
          <RelativeTime at={version.publishedAt} />
        </span>
      </div>
      {subscribers !== undefined && (
        <p className="text-ink-muted text-xs tabular-nums">
          {formatCount(subscribers)}{" "}
          {plural(subscribers, { one: "subscriber", other: "subscribers" })}
        </p>
      )}
      {before !== undefined && (
        <>
          <Button
            size="small"
            look="quiet"
            className="-ml-2.5"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            <ChevronRight
              aria-hidden="true"
              className={isOpen ? "size-3.5 rotate-90" : "size-3.5"}
            />
            <Trans>Changes since version {before}</Trans>
          </Button>
          {isOpen && <Changes planId={planId} from={before} to={version.version} />}
        </>
      )}
    </li>
  );
}

function Changes({ planId, from, to }: { planId: string; from: number; to: number }) {
  const changes = useQuery(editorQueries.changes(usePlatform().api, { planId, from, to }));
  if (changes.data === undefined) {
    return changes.isError ? (
      <FailureNotice
        what={t`The changes could not be loaded.`}
        cause={changes.error}
        onRetry={() => void changes.refetch()}
      />
    ) : (
      <Skeleton className="h-6 w-full" />
    );
  }
  return (
    <ChangeList
      label={t`Changes of version ${String(to)}`}
      changes={changes.data}
      empty={t`Nothing differs.`}
    />
  );
}
