import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { IconButton } from "@turnpike/ui/icon-button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import ListFilter from "lucide-react/icons/list-filter";
import ScrollText from "lucide-react/icons/scroll-text";
import { type ActivityNames, toActivitySentence } from "#components/activity.view-model.ts";
import { toActivityTitle } from "#components/activity-titles.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { type AuditFilter, isNarrowed } from "./audit-filter.view-model.ts";
import { type AuditSource, auditQuery, type Entry } from "./audit-source.ts";
import { toExactTime } from "./exact-time.ts";
import { usePeopleOf } from "./use-people-of.ts";

export type AuditListProps = {
  source: AuditSource;
  /** Left out: everything. */
  filter?: AuditFilter;
  cursor: string | undefined;
  onCursorChange: (cursor: string | undefined) => void;
  /** Shows all that happened to one thing; left out where there is no room for it. */
  onEntityChoose?: (entityId: string) => void;
  /** Next to another list there is no room for request ids and exact times. */
  isNarrow?: boolean;
};

const EVERYTHING: AuditFilter = {};

/** An audit log: who did what and when, newest first. */
export function AuditList(props: AuditListProps) {
  const { source, filter = EVERYTHING, cursor, onCursorChange, isNarrow = false } = props;
  const { onEntityChoose } = props;
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const entries = useQuery({
    ...auditQuery(api, source, { filter, cursor }),
    placeholderData: keepPreviousData,
  });
  // Entries are shown even when the names fail to load.
  const { people, arePartial, isPending } = usePeopleOf(source);
  const trail = useCursorTrail({ cursor, nextCursor: entries.data?.nextCursor, onCursorChange });
  if (entries.isError && entries.data === undefined) {
    return (
      <FailureNotice
        what={t`The audit log could not be loaded.`}
        cause={entries.error}
        onRetry={() => void entries.refetch()}
      />
    );
  }
  const names: ActivityNames = { readerId: user.userId, people, arePartial };
  const columns: readonly Column<Entry>[] = [
    {
      id: "what",
      header: t`What happened`,
      phone: "title",
      cell: (entry) => <Sentence entry={entry} names={names} />,
    },
    {
      id: "tenant",
      header: t`Tenant`,
      className: "md:w-44",
      cell: ({ tenantName }) => (
        <span className="[overflow-wrap:anywhere]">{tenantName ?? t`Removed`}</span>
      ),
    },
    {
      id: "when",
      header: t`When`,
      className: isNarrow ? "md:w-32" : "md:w-52",
      cell: ({ occurredAt }) =>
        isNarrow ? <RelativeTime at={occurredAt} /> : <ExactTime at={occurredAt} />,
    },
    {
      id: "request",
      header: t`Request`,
      phone: "hidden",
      className: "md:w-80",
      cell: ({ requestId }) => (
        <code className="font-mono text-ink-muted text-xs [overflow-wrap:anywhere]">
          {requestId ?? "–"}
        </code>
      ),
    },
  ];
  return (
    <DataTable
      label={t`Audit log`}
      columns={columns}
      hiddenColumns={
        new Set([
          ...(isNarrow || source === "tenants" ? ["request"] : []),
          ...(source === "tenants" ? [] : ["tenant"]),
        ])
      }
      // Names that load late would change lines that were already read.
      rows={isPending ? undefined : entries.data?.items}
      getRowId={({ auditId }) => auditId}
      getRowName={({ action }) => action}
      isStale={entries.isPlaceholderData}
      {...(onEntityChoose !== undefined && {
        getRowActions: ({ entityId, action }: Entry) =>
          entityId !== filter.entity && (
            <IconButton
              label={t`Show all about this: ${toActivityTitle(action)}`}
              icon={<ListFilter aria-hidden="true" />}
              onClick={() => onEntityChoose(entityId)}
            />
          ),
      })}
      empty={<NothingFound isNarrowed={isNarrowed(filter)} onOlder={trail.onNext} />}
      footer={
        <PageFooter
          trail={trail}
          count={entries.data?.items.length}
          noun={[t`entry`, t`entries`]}
        />
      }
    />
  );
}

/** A page looks at a bounded number of entries: that nothing is found in one does not say that there is nothing. */
function NothingFound({
  isNarrowed,
  onOlder,
}: {
  isNarrowed: boolean;
  onOlder: (() => void) | undefined;
}) {
  if (!isNarrowed) {
    return (
      <EmptyState icon={<ScrollText />} title={t`Nothing has happened yet`}>
        <Trans>Every change to keys, members and settings is listed here.</Trans>
      </EmptyState>
    );
  }
  return onOlder === undefined ? (
    <EmptyState icon={<ScrollText />} title={t`No entry matches`}>
      <Trans>Take away a filter, or choose another time.</Trans>
    </EmptyState>
  ) : (
    <EmptyState
      icon={<ScrollText />}
      title={t`Nothing among the newest entries`}
      action={
        <Button onClick={onOlder}>
          <Trans>Look at older entries</Trans>
        </Button>
      }
    >
      <Trans>The log is long: it is looked through in steps.</Trans>
    </EmptyState>
  );
}

function Sentence({ entry, names }: { entry: Entry; names: ActivityNames }) {
  const { actor, what } = toActivitySentence(entry, names);
  return (
    <span className="[overflow-wrap:anywhere]">
      <span className="font-medium">{actor}</span>{" "}
      <span className="font-normal text-ink-muted">{what}</span>
    </span>
  );
}

function ExactTime({ at }: { at: string }) {
  const { local, utc } = toExactTime(at);
  return (
    <time dateTime={at} className="block whitespace-nowrap max-md:text-right">
      <span className="block">{local}</span>
      <span className="block text-ink-muted text-xs">{utc}</span>
    </time>
  );
}
