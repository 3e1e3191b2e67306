import type { Tone } from "@turnpike/ui/badge";
import { formatCount, formatDayUtc, formatShare } from "#platform/format.ts";
import type { Limits, Usage } from "./operator.queries.ts";

type Quota = Limits["quotas"][number];

/** From this share on, a quota is drawn as a warning. */
const NEARLY_USED = 0.8;

export type QuotaView = {
  id: string;
  title: string;
  /** "1,204 of 50,000 used (2.4%)" */
  usedLine: string;
  /** "resets Dec 1 UTC" */
  resetLine: string;
  /** Used part of the limit; above 1 when a soft limit is passed. */
  share: number;
  tone: "accent" | "warning" | "danger";
  /** What a crashed process may have used, when there is any. */
  forfeitedLine: string | undefined;
};

/** Makes a quota readable. A limit of 0 counts as used up. */
export function toQuotaView(quota: Quota): QuotaView {
  const share = quota.limit === 0 ? 1 : Number(quota.used) / quota.limit;
  const isForfeited = Number(quota.forfeited) > 0;
  return {
    id: `${quota.meter} ${quota.environment}`,
    title: `${capitalise(quota.meter)}, ${quota.environment}`,
    usedLine: `${formatCount(quota.used)} of ${formatCount(quota.limit)} used (${formatShare(share)})`,
    resetLine: `resets ${formatDayUtc(quota.resetAt)} UTC`,
    share,
    tone: share >= 1 ? "danger" : share >= NEARLY_USED ? "warning" : "accent",
    forfeitedLine: isForfeited
      ? `${formatCount(quota.forfeited)} held back after a crash until the period ends; never billed`
      : undefined,
  };
}

export type StatusRow = { status: string; tone: Tone; calls: string; share: string };

/** Makes the rows of calls by HTTP status, the most frequent first. Empty while there were no calls. */
export function toStatusRows(usage: Usage): readonly StatusRow[] {
  return usage.rows
    .toSorted((a, b) => b.calls - a.calls || a.group.localeCompare(b.group))
    .map((row) => ({
      status: row.group,
      tone: toStatusTone(row.group),
      calls: formatCount(row.calls),
      share: formatShare(usage.calls === 0 ? 0 : row.calls / usage.calls),
    }));
}

/** The colour of an HTTP status: success, the caller's mistake, the upstream's failure. */
export function toStatusTone(status: string): Tone {
  switch (status.charAt(0)) {
    case "2":
      return "ok";
    case "4":
      return "warning";
    case "5":
      return "danger";
    default:
      return "neutral";
  }
}

/** "60 calls in 10 s" */
export function toRateLimitLine(limit: Limits["rateLimits"][number]): string {
  return `${formatCount(limit.limit)} calls in ${formatCount(limit.windowSeconds)} s`;
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
