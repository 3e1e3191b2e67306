import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Sparkline } from "@turnpike/ui/charts/sparkline";
import type { Column } from "@turnpike/ui/column";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { ExactValue } from "@turnpike/ui/exact-value";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { countTime } from "#components/time-words.ts";
import type { Key, KeySummary } from "./api-keys.queries.ts";
import { EnvironmentBadge } from "./environment-badge.tsx";
import {
  findLastUse,
  isEndingSoon,
  toLimitTexts,
  toMakerName,
  toMaskedKey,
  toShortId,
  toStateBadge,
  toTrendLabel,
} from "./key.view-model.ts";

export type ColumnContext = {
  people: ReadonlyMap<string, string>;
  /** Undefined while the summaries load; a missing entry means that they failed to load. */
  summaries: ReadonlyMap<string, KeySummary> | undefined;
  nowMs: number;
};

/** The most important columns come first; the rest appear in the key's details and in wider windows. */
export const KEY_COLUMN_ROOM: ColumnRoom = [
  ["name", 170],
  ["state", 95],
  ["lastUsed", 100],
  ["key", 147],
  ["expires", 75],
  ["environment", 96],
  ["trend", 75],
  ["created", 118],
  ["scopes", 67],
  ["limits", 60],
];

/** The columns of the table of keys. */
export function toKeyColumns({ people, summaries, nowMs }: ColumnContext): Column<Key>[] {
  return [
    {
      id: "name",
      header: t`Name`,
      sortKey: "name",
      phone: "title",
      cell: (key) => (
        <div className="min-w-0 md:max-w-44">
          <span className="block truncate font-medium" title={key.name}>
            {key.name}
          </span>
          <span className="block truncate font-mono font-normal text-ink-muted text-xs">
            {toShortId(key.keyId)}
          </span>
        </div>
      ),
    },
    {
      id: "state",
      header: t`State`,
      cell: (key) => {
        const { label, tone } = toStateBadge(key);
        return (
          <span className="flex gap-1.5">
            <Badge tone={tone}>{label}</Badge>
            {/* A card is too narrow for a separate line, so the badges share one. */}
            <span className="md:hidden">
              <EnvironmentBadge environment={key.environment} />
            </span>
          </span>
        );
      },
    },
    {
      id: "key",
      header: t`Key`,
      isOptional: true,
      cell: (key) => (
        <code className="font-mono text-xs whitespace-nowrap">{toMaskedKey(key)}</code>
      ),
    },
    {
      id: "environment",
      header: t`Environment`,
      isOptional: true,
      phone: "hidden",
      cell: (key) => <EnvironmentBadge environment={key.environment} />,
    },
    {
      id: "scopes",
      header: t`Scopes`,
      isOptional: true,
      phone: "hidden",
      cell: (key) =>
        key.scopes.length === 0 ? (
          <span className="text-ink-muted">
            <Trans>None</Trans>
          </span>
        ) : (
          <ExactValue exact={key.scopes.join(", ")} isFocusable={false}>
            {String(key.scopes.length)}
          </ExactValue>
        ),
    },
    {
      id: "limits",
      header: t`Limits`,
      isOptional: true,
      phone: "hidden",
      cell: (key) => {
        const limits = toLimitTexts(key);
        return limits.length === 0 ? (
          <span className="text-ink-muted">
            <Trans>Plan</Trans>
          </span>
        ) : (
          <ExactValue exact={limits.join("; ")} isFocusable={false}>
            {String(limits.length)}
          </ExactValue>
        );
      },
    },
    {
      id: "expires",
      header: t`Expires`,
      isOptional: true,
      cell: (key) =>
        // A revoked key has already ended.
        key.state === "revoked" ? (
          <span className="text-ink-muted">–</span>
        ) : key.expiresAt === null ? (
          <span className="text-ink-muted">
            <Trans>Never</Trans>
          </span>
        ) : (
          <span className={isEndingSoon(key, nowMs) ? "font-medium text-warning" : undefined}>
            <RelativeTime at={key.expiresAt} isFocusable={false} />
          </span>
        ),
    },
    {
      id: "lastUsed",
      header: t`Last used`,
      isOptional: true,
      cell: (key) => <LastUsed subject={key} summaries={summaries} />,
    },
    {
      id: "trend",
      header: countTime(14, "day"),
      isOptional: true,
      cell: (key) => <Trend keyId={key.keyId} summaries={summaries} />,
    },
    {
      id: "created",
      header: t`Created`,
      sortKey: "createdAt",
      isDescendingFirst: true,
      isOptional: true,
      phone: "hidden",
      cell: (key) => (
        <div className="min-w-0 max-w-24">
          <span className="block">
            <RelativeTime at={key.createdAt} isFocusable={false} />
          </span>
          <span className="block truncate text-ink-muted text-xs">
            {toMakerName(key.createdBy, people)}
          </span>
        </div>
      ),
    },
  ];
}

type Summaries = ColumnContext["summaries"];

function LastUsed({ subject, summaries }: { subject: Key; summaries: Summaries }) {
  if (summaries === undefined) {
    return <Skeleton className="h-4 w-20" />;
  }
  const summary = summaries.get(subject.keyId);
  if (summary === undefined) {
    return <Unknown />;
  }
  const lastUsedAt = findLastUse(subject, summary);
  return lastUsedAt === undefined ? (
    <span className="text-ink-muted">
      <Trans>Never</Trans>
    </span>
  ) : (
    <RelativeTime at={lastUsedAt} isFocusable={false} />
  );
}

function Trend({ keyId, summaries }: { keyId: string; summaries: Summaries }) {
  if (summaries === undefined) {
    return <Skeleton className="h-6 w-16" />;
  }
  const summary = summaries.get(keyId);
  return summary === undefined ? (
    <Unknown />
  ) : (
    <Sparkline
      label={toTrendLabel(summary)}
      values={summary.requestsByDay}
      tone={summary.requests === 0 ? "neutral" : "accent"}
      widthPx={64}
    />
  );
}

function Unknown() {
  return (
    <span className="text-ink-muted">
      <span aria-hidden="true">–</span>
      <span className="sr-only">
        <Trans>Not known</Trans>
      </span>
    </span>
  );
}
