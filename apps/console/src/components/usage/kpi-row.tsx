import { t } from "@lingui/core/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Sparkline } from "@turnpike/ui/charts/sparkline";
import { ExactValue } from "@turnpike/ui/exact-value";
import { KpiCard } from "@turnpike/ui/kpi-card";
import type { ReactElement } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { UsageReport } from "#platform/usage-query.ts";
import { KeptNotice } from "./kept-notice.tsx";
import { KPI_WORDS, type Kpi, toKpis } from "./kpis.view-model.ts";

export type KpiRowProps = {
  report: UseQueryResult<UsageReport>;
  /** What the changes are against: "vs. 24 hours before". */
  against: string;
  /** Where the numbers come from, such as `<Link to="/analytics" />`. */
  link?: ReactElement<Record<string, unknown>> | undefined;
};

/** The four numbers of a glance, each with its trend and its change. */
export function KpiRow({ report, against, link }: KpiRowProps) {
  if (report.isError && report.data === undefined) {
    return (
      <FailureNotice
        what={t`The totals could not be loaded.`}
        cause={report.error}
        onRetry={() => void report.refetch()}
      />
    );
  }
  const kpis = report.data === undefined ? undefined : toKpis(report.data);
  return (
    <div>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {kpis === undefined
          ? Object.values(KPI_WORDS).map(({ key, label, context, meaning }) => (
              <KpiCard
                key={key}
                label={label}
                context={context}
                explanation={meaning}
                value={undefined}
                delta={null}
              />
            ))
          : kpis.map((kpi) => <KpiView key={kpi.key} kpi={kpi} against={against} link={link} />)}
      </div>
      <KeptNotice report={report.data} />
    </div>
  );
}

function KpiView({ kpi, against, link }: Pick<KpiRowProps, "against" | "link"> & { kpi: Kpi }) {
  return (
    <KpiCard
      {...(link === undefined ? {} : { link })}
      label={kpi.label}
      value={<ExactValue exact={kpi.exact}>{kpi.value}</ExactValue>}
      context={kpi.context}
      explanation={KPI_WORDS[kpi.key].meaning}
      delta={
        kpi.change === undefined ? null : { text: kpi.change.text, against, meaning: kpi.verdict }
      }
      sparkline={
        <Sparkline label={t`${kpi.label}: trend over the range`} values={kpi.trend} heightPx={32} />
      }
    />
  );
}
