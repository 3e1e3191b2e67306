import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import {
  insightsKey,
  insightsQueries,
  type RaisedConfidence,
} from "#components/insights/insights.queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { formatPercent } from "#platform/format.ts";
import { formatDate } from "#platform/format-period.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { nameLikeness } from "./name-likeness.view-model.ts";

/** Which anomalies are shown less often because members called others like them not useful, with the way back. */
export function RaisedNotice({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  const raised = useQuery(insightsQueries.feedback(api, tenantId));
  const reset = useMutation({
    mutationKey: ["insights", "reset-feedback"],
    mutationFn: ({ measure, dimension }: RaisedConfidence) =>
      api.insightFeedback.reset({ tenantId, measure, dimension }),
    onSuccess: () => toast.success(t`Shown as usual again, from the next check on.`),
    onError: (error) => void toast.error(toErrorMessage(error)),
    onSettled: () => client.invalidateQueries({ queryKey: insightsKey(tenantId) }),
  });
  if (raised.data === undefined || raised.data.length === 0) {
    return null;
  }
  return (
    <section
      aria-label={t`Shown less often`}
      className="mt-4 border-line border-t pt-4 text-ink-muted"
    >
      <p>
        <Trans>Shown less often because of your feedback:</Trans>
      </p>
      <ul className="mt-1">
        {raised.data.map((one) => (
          <li
            key={`${one.measure} ${one.dimension ?? ""}`}
            className="flex flex-wrap items-center gap-x-3"
          >
            <span>
              <Trans>
                {nameLikeness(one)}, from a confidence of {formatPercent(one.required)}, until{" "}
                {formatDate(one.until)}
              </Trans>
            </span>
            {mayInTenant(tenant, "alerts:write") && (
              <Button look="quiet" size="small" onClick={() => reset.mutate(one)}>
                <Trans>Show as usual</Trans>
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
