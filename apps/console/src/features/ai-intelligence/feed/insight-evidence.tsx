import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { inSentence } from "@turnpike/ui/language";
import { useState } from "react";
import type { Evidence } from "#components/insights/insights.queries.ts";
import {
  describeEvidence,
  formatLevel,
  groupParts,
  labelMeasure,
  MEASURE_LABELS,
  type PartGroup,
} from "#components/insights/insights.view-model.ts";
import { LazyTimeLines } from "#components/usage/lazy-charts.tsx";
import { createChartFormats, readOwnTimeZone } from "#platform/chart-formats.ts";
import { formatCompact } from "#platform/format-measure.ts";
import { toEvidenceChart } from "./evidence-chart.view-model.ts";

const HEIGHT_PX = 180;

export type InsightEvidenceProps = { evidence: Evidence; names: ReadonlyMap<string, string> };

/** Why an anomaly is one: the hours with what is usual for them, and the parts that make up the change. */
export function InsightEvidence({ evidence, names }: InsightEvidenceProps) {
  return (
    <div className="mt-3 grid gap-x-8 gap-y-5 rounded-control border border-line bg-sunken/40 p-3 sm:p-4 lg:grid-cols-3">
      <div className="min-w-0 lg:col-span-2">
        <EvidenceChart evidence={evidence} />
      </div>
      <div className="min-w-0 space-y-4">
        {groupParts(evidence, names).map((group) => (
          <Parts key={group.label} group={group} />
        ))}
        {evidence.parts.length === 0 && (
          <p className="text-ink-muted">
            <Trans>No key, route or status explains it alone: the change is everywhere.</Trans>
          </p>
        )}
        {evidence.also.length > 0 && (
          <p className="text-ink-muted text-xs">
            <Trans>
              Also outside of what is usual:{" "}
              {evidence.also.map((measure) => inSentence(MEASURE_LABELS[measure])).join("; ")}.
            </Trans>
          </p>
        )}
      </div>
    </div>
  );
}

function EvidenceChart({ evidence }: { evidence: Evidence }) {
  const [shown, setShown] = useState<"chart" | "table">("chart");
  const timeZone = readOwnTimeZone();
  const measure = labelMeasure(evidence);
  const chart = toEvidenceChart(evidence);
  return (
    <LazyTimeLines
      label={`${measure}: ${describeEvidence(evidence)}`}
      unit={measure}
      {...chart}
      timeZone={timeZone}
      heightPx={HEIGHT_PX}
      formats={createChartFormats(timeZone, { value: formatCompact, exact: formatLevel })}
      view={shown}
      onViewChange={setShown}
      emptyText={t`Nothing was measured in these hours.`}
    />
  );
}

function Parts({ group: { label, parts, others } }: { group: PartGroup }) {
  return (
    <div>
      <p className="text-ink-muted text-xs">
        <Trans>{label}, share of the change</Trans>
      </p>
      <ul className="mt-1 space-y-1.5">
        {parts.map(({ value, name, percent, width, isCause }) => (
          <li key={value}>
            <div className="flex justify-between gap-4 tabular-nums">
              <span
                className={`line-clamp-2 min-w-0 [overflow-wrap:anywhere] ${isCause ? "font-medium" : ""}`}
                title={name}
              >
                {name}
              </span>
              <span className="shrink-0">{percent}</span>
            </div>
            <div className="mt-0.5 h-1 rounded-full bg-sunken" aria-hidden="true">
              <div
                className={`h-full rounded-full ${isCause ? "bg-accent" : "bg-ink-faint"}`}
                style={{ width: `${String(width)}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
      {others > 0 && (
        <p className="mt-1 text-ink-muted text-xs">
          <Trans>and {others} more</Trans>
        </p>
      )}
    </div>
  );
}
