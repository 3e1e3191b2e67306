import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { REJECTION_CODES, type RejectionCode } from "@turnpike/domain/events/rejection";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import type { Choice } from "@turnpike/ui/choice";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { SearchField } from "@turnpike/ui/search-field";
import { Select } from "@turnpike/ui/select";
import CircleSlash from "lucide-react/icons/circle-slash";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { useTypedSearch } from "#components/use-typed-search.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type PlansSearch, parsePlansSearch } from "../plans-search.view-model.ts";
import { metersQueries, type RejectedEvent } from "./meters.queries.ts";
import { REJECTION_WORDS } from "./rejection-words.ts";

const NOTHING = <span className="text-ink-faint">–</span>;

function mono(text: string | null) {
  return text === null ? (
    NOTHING
  ) : (
    <code className="font-mono text-xs [overflow-wrap:anywhere]">{text}</code>
  );
}

const ALL = "all";
const REASONS: readonly Choice<RejectionCode | typeof ALL>[] = [
  { value: ALL, label: t`All reasons` },
  ...REJECTION_CODES.map((code) => ({ value: code, label: REJECTION_WORDS[code], note: code })),
];

/** The senders of events, by the API's actor types. */
const SENDERS: Readonly<Record<string, string>> = {
  service_key: t`Service key`,
  key: t`Key of the tenant`,
};

const COLUMNS: readonly Column<RejectedEvent>[] = [
  {
    id: "reason",
    header: t`Why`,
    phone: "title",
    className: "md:w-[34%]",
    cell: ({ code, reason }) => (
      <div className="min-w-0 space-y-1">
        <Badge tone="danger" hasDot={false}>
          {REJECTION_WORDS[code]}
        </Badge>
        <p className="font-normal [overflow-wrap:anywhere]">{reason}</p>
        <p className="font-mono font-normal text-ink-muted text-xs">{code}</p>
      </div>
    ),
  },
  {
    id: "event",
    header: t`Event`,
    className: "md:w-[18%]",
    cell: ({ type, id, source }) => (
      <div className="min-w-0">
        <p>{mono(type)}</p>
        <p className="text-ink-muted">
          {mono(id === null ? null : `${source ?? ""} ${id}`.trim())}
        </p>
      </div>
    ),
  },
  {
    id: "subject",
    header: t`Subject`,
    cell: ({ subject, tenantId, tenantName }) => (
      <div className="min-w-0">
        {tenantName !== null && <p className="[overflow-wrap:anywhere]">{tenantName}</p>}
        <p className={tenantName === null ? "" : "text-ink-muted"}>{mono(subject ?? tenantId)}</p>
      </div>
    ),
  },
  {
    id: "sender",
    header: t`Sent by`,
    cell: ({ sentBy, senderName }) => {
      const [kind = "", id] = sentBy.split(" ");
      return (
        <div className="min-w-0">
          {senderName !== null && <p className="[overflow-wrap:anywhere]">{senderName}</p>}
          <p className={senderName === null ? "" : "text-ink-muted text-xs"}>
            {SENDERS[kind] ?? kind}
          </p>
          <p className="text-ink-muted">{mono(id ?? null)}</p>
        </div>
      );
    },
  },
  {
    id: "when",
    header: t`When`,
    className: "md:w-32",
    cell: ({ rejectedAt }) => <RelativeTime at={rejectedAt} isFocusable={false} />,
  },
];

export type RejectedTabProps = {
  search: PlansSearch;
  onSearchChange: (search: PlansSearch) => void;
};

/** Events that were not counted, newest first, with or without a tenant. */
export function RejectedTab({ search, onSearchChange }: RejectedTabProps) {
  const { api } = usePlatform();
  const { cursor, reason, type } = search;
  const isFiltered = reason !== undefined || type !== undefined;
  const rejected = useQuery({
    ...metersQueries.rejected(api, {
      ...(cursor !== undefined && { cursor }),
      ...(reason !== undefined && { code: reason }),
      ...(type !== undefined && { type }),
    }),
    placeholderData: keepPreviousData,
  });
  // A new filter starts at the first page.
  const narrow = (part: { reason?: RejectionCode | undefined; type?: string | undefined }) =>
    onSearchChange(parsePlansSearch({ tab: "rejected", reason, type, ...part }));
  const typed = useTypedSearch(type ?? "", (text) => narrow({ type: text }));
  const trail = useCursorTrail({
    cursor,
    nextCursor: rejected.data?.nextCursor,
    onCursorChange: (next) =>
      onSearchChange(parsePlansSearch({ tab: "rejected", reason, type, cursor: next })),
  });
  function clear(): void {
    typed.setText("");
    narrow({ reason: undefined, type: undefined });
  }
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-ink-muted">
          <Trans>
            Events of all tenants that could not be counted. The sender got the same reason, and can
            send a corrected event again. Kept for 14 days.{" "}
            <DocsLink page="events#rejections">What each reason means</DocsLink>
          </Trans>
        </p>
        <Button onClick={() => void rejected.refetch()}>
          <Trans>Refresh</Trans>
        </Button>
      </div>
      <search aria-label={t`Filters`} className="flex flex-wrap items-center gap-2">
        <div className="w-56 max-sm:w-full">
          <Select
            label={t`Reason`}
            value={reason ?? ALL}
            choices={REASONS}
            onValueChange={(next) => narrow({ reason: next === ALL ? undefined : next })}
          />
        </div>
        <SearchField
          label={t`Search event types`}
          placeholder={t`Part of an event type`}
          className="max-w-72 grow basis-56 max-sm:max-w-none max-sm:basis-full"
          maxLength={100}
          value={typed.text}
          onValueChange={typed.setText}
        />
      </search>
      {rejected.isError && rejected.data === undefined ? (
        <FailureNotice
          what={t`The rejected events could not be loaded.`}
          cause={rejected.error}
          onRetry={() => void rejected.refetch()}
        />
      ) : (
        <DataTable
          label={t`Rejected events`}
          columns={COLUMNS}
          rows={rejected.data?.items}
          getRowId={(event) =>
            `${event.rejectedAt} ${event.source ?? ""} ${event.id ?? ""} ${event.code}`
          }
          getRowName={({ id, code }) => `${code} ${id ?? ""}`}
          isStale={rejected.isPlaceholderData}
          empty={
            isFiltered ? (
              <EmptyState
                icon={<CircleSlash />}
                title={t`No matching rejected events`}
                action={
                  <Button onClick={clear}>
                    <Trans>Clear filters</Trans>
                  </Button>
                }
              >
                <Trans>None of the newest 100,000 has this reason and type.</Trans>
              </EmptyState>
            ) : (
              <EmptyState icon={<CircleSlash />} title={t`No rejected events`}>
                <Trans>
                  Events that no meter can count, or that name no tenant, are listed here with the
                  reason the sender got.
                </Trans>
              </EmptyState>
            )
          }
          footer={
            <PageFooter
              trail={trail}
              count={rejected.data?.items.length}
              noun={[t`event`, t`events`]}
            />
          }
        />
      )}
    </div>
  );
}
