import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Spinner } from "@turnpike/ui/spinner";
import { useDeferredValue, useState } from "react";
import { ChartSkeleton } from "#components/usage/lazy-charts.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { analyticsQueries, type TenantId } from "../analytics.queries.ts";
import { findMeterWords, toPreviewSummary } from "./alert.view-model.ts";
import { AlertChart } from "./alert-chart.tsx";
import { toAlertTimeline, toPreviewSpans } from "./alert-chart.view-model.ts";
import { type AlertRuleInput, alertsQueries } from "./alerts.queries.ts";

export type AlertPreviewChartProps = {
  tenantId: TenantId;
  /** Undefined while the rule is incomplete. */
  rule: AlertRuleInput | undefined;
};

/** Low, so that the whole form fits on a desktop screen. */
const HEIGHT_PX = 108;

/** When the rule would have fired over the last hours, days or weeks. */
export function AlertPreviewChart({ tenantId, rule }: AlertPreviewChartProps) {
  const { api } = usePlatform();
  const [view, setView] = useState<"chart" | "table">("chart");
  const meters = useQuery(analyticsQueries.meters(api)).data?.items ?? [];
  const asked = useDeferredValue(rule);
  const preview = useQuery({
    ...alertsQueries.preview(api, tenantId, asked),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
  });
  if (asked === undefined) {
    return (
      <p className="rounded-control border border-line border-dashed px-3 py-4 text-center text-ink-muted">
        <Trans>Enter a threshold to see when the alert would have fired.</Trans>
      </p>
    );
  }
  if (preview.isError) {
    return (
      <p role="alert" className="rounded-control bg-warning-soft px-3 py-2">
        <Trans>No preview: {toErrorMessage(preview.error)}</Trans>
      </p>
    );
  }
  if (preview.data === undefined || preview.data === null) {
    return <ChartSkeleton />;
  }
  const { measure } = asked.query;
  return (
    <section
      aria-label={t`Preview`}
      className="min-w-0 overflow-hidden rounded-control border border-line p-3"
    >
      <p className="mb-2 flex items-center gap-2 font-medium" aria-live="polite">
        {toPreviewSummary(preview.data)}
        {preview.isPlaceholderData && <Spinner />}
      </p>
      <AlertChart
        label={t`What the alert would have measured`}
        measure={measure}
        meter={findMeterWords(measure, meters)}
        timeline={toAlertTimeline(preview.data, asked.condition, toPreviewSpans(preview.data))}
        heightPx={HEIGHT_PX}
        view={view}
        onViewChange={setView}
      />
    </section>
  );
}
