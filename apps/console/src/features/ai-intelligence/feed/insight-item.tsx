import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { StatusDot } from "@turnpike/ui/status-dot";
import ChevronDown from "lucide-react/icons/chevron-down";
import { useId, useState } from "react";
import type { InsightDialogs } from "#components/insights/insight-dialogs.ts";
import type { Insight } from "#components/insights/insights.queries.ts";
import {
  describeEvidence,
  KINDS,
  nameIds,
  URGENCIES,
  urgencyOf,
} from "#components/insights/insights.view-model.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { formatPercent } from "#platform/format.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { InsightActions } from "./insight-actions.tsx";
import { InsightEvidence } from "./insight-evidence.tsx";
import { InsightFeedback } from "./insight-feedback.tsx";

export type InsightItemProps = {
  tenant: OwnTenant;
  insight: Insight;
  names: ReadonlyMap<string, string>;
  dialogs: InsightDialogs;
  /** Whether its evidence is in sight at first. */
  isOpenAtFirst: boolean;
};

/** One thing that changed or needs attention: what, since when, what explains it, and what to do. */
export function InsightItem({ tenant, insight, names, dialogs, isOpenAtFirst }: InsightItemProps) {
  const { kind, since, endedAt, dismissedAt, confidence, evidence } = insight;
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const evidenceId = useId();
  const { tone, label } = URGENCIES[urgencyOf(insight)];
  const isPast = endedAt !== null || dismissedAt !== null;
  return (
    <li id={insight.insightId} className="scroll-mt-20 py-4 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-80">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-muted text-xs">
            {isPast ? (
              <Badge>{dismissedAt === null ? t`Ended` : t`Dismissed`}</Badge>
            ) : (
              <StatusDot tone={tone} label={label} />
            )}
            <span>{KINDS[kind].label}</span>
            <span>
              {endedAt === null && t`Began `}
              <RelativeTime at={endedAt ?? since} />
            </span>
            {evidence !== null && (
              <span className="tabular-nums">
                <Trans>Confidence {formatPercent(confidence)}</Trans>
              </span>
            )}
          </div>
          <h3 className="mt-1 max-w-[80ch] font-medium [overflow-wrap:anywhere]">
            {nameIds(inLanguage(insight.text), names)}
          </h3>
        </div>
        {!isPast && <InsightActions tenant={tenant} insight={insight} dialogs={dialogs} />}
      </div>
      <div className="mt-1 -ml-2.5 flex flex-wrap items-center gap-1">
        {evidence !== null && (
          <Button
            look="quiet"
            size="small"
            aria-expanded={isOpen}
            aria-controls={evidenceId}
            onClick={() => setIsOpen(!isOpen)}
          >
            <ChevronDown aria-hidden="true" className={`size-3.5 ${isOpen ? "rotate-180" : ""}`} />
            {isOpen ? t`Hide evidence` : t`Evidence: ${describeEvidence(evidence)}`}
          </Button>
        )}
        {mayInTenant(tenant, "alerts:write") && (
          <InsightFeedback tenant={tenant} insight={insight} />
        )}
      </div>
      {evidence !== null && (
        <div id={evidenceId}>{isOpen && <InsightEvidence evidence={evidence} names={names} />}</div>
      )}
    </li>
  );
}
