import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Sparkline } from "@turnpike/ui/charts/sparkline";
import { toast } from "sonner";
import {
  type Evidence,
  type Insight,
  insightsKey,
  insightsQueries,
} from "#components/insights/insights.queries.ts";
import {
  describeEvidence,
  groupParts,
  KIND_LABELS,
  MEASURE_LABELS,
  toInsightLink,
} from "#components/insights/insights.view-model.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { formatMinute } from "#platform/format-period.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";

export type InsightItemProps = { tenant: OwnTenant; insight: Insight };

/** One thing that changed or needs attention: what, since when, what explains it, and what to do. */
export function InsightItem({ tenant, insight }: InsightItemProps) {
  const { kind, text, since, confidence, evidence } = insight;
  const { label, ...link } = toInsightLink(insight);
  return (
    <li className="py-4 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <p className="flex flex-wrap items-center gap-2 text-ink-muted text-xs">
            <Badge tone={kind === "anomaly" ? "warning" : "neutral"}>{KIND_LABELS[kind]}</Badge>
            <span>Since {formatMinute(since)}</span>
            {kind === "anomaly" && <span>Confidence {String(Math.round(confidence * 100))} %</span>}
          </p>
          <h3 className="mt-1.5 font-medium [overflow-wrap:anywhere]">{text}</h3>
        </div>
        <ButtonLink link={<Link {...link} />}>{label}</ButtonLink>
      </div>
      {evidence !== null && <EvidenceFacts tenant={tenant} evidence={evidence} />}
      {mayInTenant(tenant, "alerts:write") && <Feedback tenant={tenant} insight={insight} />}
    </li>
  );
}

function EvidenceFacts({ tenant, evidence }: { tenant: OwnTenant; evidence: Evidence }) {
  const names = useQuery(insightsQueries.keyNames(usePlatform().api, tenant.tenantId));
  const measure = MEASURE_LABELS[evidence.measure];
  return (
    <div className="mt-3 flex flex-wrap gap-x-8 gap-y-3">
      <div>
        <p className="text-ink-muted text-xs">{measure}</p>
        <p className="tabular-nums">{describeEvidence(evidence)}</p>
        <div className="mt-1">
          <Sparkline
            label={`${measure} since ${formatMinute(evidence.points[0]?.time ?? evidence.from)}: ${describeEvidence(evidence)} at the end.`}
            values={evidence.points.map(({ value }) => value)}
            widthPx={200}
            heightPx={44}
          />
        </div>
      </div>
      {groupParts(evidence, names.data ?? new Map()).map(({ label, parts, others }) => (
        <div key={label} className="min-w-0">
          <p className="text-ink-muted text-xs">{label}, share of the change</p>
          <ul className="mt-0.5 space-y-0.5">
            {parts.map(({ name, percent, isCause }) => (
              <li key={name} className="flex justify-between gap-4 tabular-nums">
                <span
                  className={
                    isCause ? "font-medium [overflow-wrap:anywhere]" : "[overflow-wrap:anywhere]"
                  }
                >
                  {name}
                </span>
                <span className="shrink-0">{percent}</span>
              </li>
            ))}
            {others > 0 && <li className="text-ink-muted text-xs">and {others} more</li>}
          </ul>
        </div>
      ))}
    </div>
  );
}

type Change = { isDismissed: true } | { isUseful: boolean | null };

function Feedback({ tenant: { tenantId }, insight }: InsightItemProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const update = useMutation({
    mutationKey: ["insights", "update"],
    mutationFn: (change: Change) =>
      api.insights.update({ tenantId, insightId: insight.insightId, ...change }),
    onSuccess: (_, change) => {
      if ("isDismissed" in change) {
        toast.success("Dismissed. The same cause is quiet for 7 days.");
      }
      return client.invalidateQueries({ queryKey: insightsKey(tenantId) });
    },
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  const { isUseful } = insight;
  return (
    <div className="mt-3 -ml-2.5 flex flex-wrap gap-1">
      <Button
        look="quiet"
        size="small"
        aria-pressed={isUseful === true}
        onClick={() => update.mutate({ isUseful: isUseful === true ? null : true })}
      >
        {isUseful === true ? "Marked useful" : "Useful"}
      </Button>
      <Button look="quiet" size="small" onClick={() => update.mutate({ isUseful: false })}>
        Not useful
      </Button>
      <Button look="quiet" size="small" onClick={() => update.mutate({ isDismissed: true })}>
        Dismiss
      </Button>
    </div>
  );
}
