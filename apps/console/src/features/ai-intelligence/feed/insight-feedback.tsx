import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { type Insight, insightsKey } from "#components/insights/insights.queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";

type Change = { isDismissed: boolean } | { isUseful: boolean | null };

/** Dismisses an insight, or says whether it was useful, which decides how often others like it are shown. */
export function InsightFeedback({
  tenant: { tenantId },
  insight,
}: {
  tenant: OwnTenant;
  insight: Insight;
}) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const update = useMutation({
    mutationKey: ["insights", "update"],
    mutationFn: (change: Change) =>
      api.insights.update({ tenantId, insightId: insight.insightId, ...change }),
    onSuccess: (_, change) => {
      if ("isDismissed" in change && change.isDismissed) {
        toast.success(t`Dismissed. The same cause is quiet for 7 days.`, {
          action: { label: t`Undo`, onClick: () => update.mutate({ isDismissed: false }) },
        });
      }
      if ("isUseful" in change && change.isUseful === false) {
        toast.success(
          insight.evidence === null
            ? t`Noted. Once it is over, the same cause is quiet for 30 days.`
            : t`Noted. Others like this must be more unusual to be shown.`,
        );
      }
      return client.invalidateQueries({ queryKey: insightsKey(tenantId) });
    },
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  const { isUseful, dismissedAt, endedAt } = insight;
  const rate = (value: boolean) => update.mutate({ isUseful: isUseful === value ? null : value });
  return (
    <>
      <Button look="quiet" size="small" aria-pressed={isUseful === true} onClick={() => rate(true)}>
        {isUseful === true ? t`Marked useful` : t`Useful`}
      </Button>
      <Button
        look="quiet"
        size="small"
        aria-pressed={isUseful === false}
        onClick={() => rate(false)}
      >
        {isUseful === false ? t`Marked not useful` : t`Not useful`}
      </Button>
      {endedAt === null && (
        <Button
          look="quiet"
          size="small"
          onClick={() => update.mutate({ isDismissed: dismissedAt === null })}
        >
          {dismissedAt === null ? t`Dismiss` : t`Show again`}
        </Button>
      )}
    </>
  );
}
