import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import ScrollText from "lucide-react/icons/scroll-text";
import { type ActivityNames, toActivitySentence } from "#components/activity.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import type { ApiClient } from "#platform/api-client.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { nameMember } from "../members/name-member.ts";
import { type TenantId, tenantsQueries } from "../tenants.queries.ts";
import { toExactTime } from "./exact-time.ts";

export type AuditListProps = {
  tenantId: TenantId;
  cursor: string | undefined;
  onCursorChange: (cursor: string | undefined) => void;
  /** Next to another list there is no room for request ids and exact times. */
  isNarrow?: boolean;
};

const REQUEST_COLUMN: ReadonlySet<string> = new Set(["request"]);
const NO_COLUMN: ReadonlySet<string> = new Set();

type Entry = Awaited<ReturnType<ApiClient["tenants"]["listAudit"]>>["items"][number];

/** The tenant's audit log: who did what and when, newest first. */
export function AuditList(props: AuditListProps) {
  const { tenantId, cursor, onCursorChange, isNarrow = false } = props;
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const entries = useQuery({
    ...tenantsQueries.audit(api, tenantId, cursor),
    placeholderData: keepPreviousData,
  });
  // Entries are shown even when the names fail to load.
  const members = useQuery(tenantsQueries.members(api, tenantId));
  const trail = useCursorTrail({ cursor, nextCursor: entries.data?.nextCursor, onCursorChange });
  if (entries.isError && entries.data === undefined) {
    return (
      <FailureNotice
        what="The audit log could not be loaded."
        cause={entries.error}
        onRetry={() => void entries.refetch()}
      />
    );
  }
  const names: ActivityNames = {
    readerId: user.userId,
    people: new Map(members.data?.items.map((member) => [member.userId, nameMember(member)])),
  };
  const columns: readonly Column<Entry>[] = [
    {
      id: "what",
      header: "What happened",
      phone: "title",
      cell: (entry) => <Sentence entry={entry} names={names} />,
    },
    {
      id: "when",
      header: "When",
      className: isNarrow ? "md:w-32" : "md:w-52",
      cell: ({ occurredAt }) =>
        isNarrow ? <RelativeTime at={occurredAt} /> : <ExactTime at={occurredAt} />,
    },
    {
      id: "request",
      header: "Request",
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
      label="Audit log"
      columns={columns}
      hiddenColumns={isNarrow ? REQUEST_COLUMN : NO_COLUMN}
      // Names that load late would change lines that were already read.
      rows={members.isPending ? undefined : entries.data?.items}
      getRowId={({ auditId }) => auditId}
      getRowName={({ action }) => action}
      isStale={entries.isPlaceholderData}
      empty={
        <EmptyState icon={<ScrollText />} title="Nothing has happened yet">
          Every change to keys, members and settings is listed here.
        </EmptyState>
      }
      footer={
        <PageFooter trail={trail} count={entries.data?.items.length} noun={["entry", "entries"]} />
      }
    />
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
