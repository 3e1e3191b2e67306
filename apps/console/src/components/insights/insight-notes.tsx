import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "@turnpike/ui/card";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { StatusDot } from "@turnpike/ui/status-dot";
import type { ReactNode } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { type Insight, insightsQueries } from "./insights.queries.ts";
import {
  nameIds,
  rankInsights,
  toInsightLink,
  URGENCIES,
  urgencyOf,
} from "./insights.view-model.ts";
import { useKeyNames } from "./use-key-names.ts";

const SHOWN_MAX = 3;

export type InsightNotesProps = {
  tenant: Pick<OwnTenant, "tenantId">;
  title: string;
  /** Chooses what belongs to the screen. Left out: everything. */
  isShown?: (insight: Insight) => boolean;
  /** What to do about one, in place of the link of its action. */
  renderAction?: (insight: Insight) => ReactNode;
  headingLevel?: 2 | 3;
};

/**
 * The most important insights that belong to a screen, each with its one action. Nothing at all while there are none, and when
 * they cannot be loaded: the screen is about something else.
 */
export function InsightNotes({
  tenant,
  title,
  isShown,
  renderAction,
  headingLevel,
}: InsightNotesProps) {
  const { data } = useQuery(insightsQueries.open(usePlatform().api, tenant.tenantId));
  const belonging = rankInsights(data?.items ?? []).filter(isShown ?? (() => true));
  const shown = belonging.slice(0, SHOWN_MAX);
  const names = useKeyNames(tenant, shown);
  if (shown.length === 0) {
    return null;
  }
  const others = belonging.length - shown.length;
  return (
    <Card
      title={title}
      {...(headingLevel !== undefined && { headingLevel })}
      aside={
        <Link to="/ai-intelligence" className="font-medium text-sm underline underline-offset-4">
          {others > 0 ? t`${String(others)} more` : t`All insights`}
        </Link>
      }
    >
      <ul className="space-y-3">
        {shown.map((insight) => (
          <InsightNote
            key={insight.insightId}
            insight={insight}
            text={nameIds(inLanguage(insight.text), names)}
            action={renderAction?.(insight) ?? <ActionLink insight={insight} />}
          />
        ))}
      </ul>
    </Card>
  );
}

export type InsightNoteProps = {
  insight: Pick<Insight, "kind" | "evidence" | "since">;
  text: string;
  action: ReactNode;
};

/** One insight as a line: how urgent, what, since when, and what to do. */
export function InsightNote({ insight, text, action }: InsightNoteProps) {
  const { tone, label } = URGENCIES[urgencyOf(insight)];
  return (
    <li className="flex items-start gap-2.5">
      <span className="mt-1.5">
        <StatusDot tone={tone} label={label} isLabelShown={false} />
      </span>
      <div className="min-w-0">
        <p className="[overflow-wrap:anywhere]">{text}</p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-ink-muted text-xs">
          <span>
            <Trans>Began</Trans> <RelativeTime at={insight.since} />
          </span>
          {action}
        </p>
      </div>
    </li>
  );
}

function ActionLink({ insight }: { insight: Insight }) {
  const { label, ...link } = toInsightLink(insight);
  return (
    <Link {...link} className="font-medium text-ink underline underline-offset-4">
      {label}
    </Link>
  );
}
