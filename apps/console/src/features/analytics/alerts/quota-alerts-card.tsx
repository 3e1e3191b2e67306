import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { QUOTA_THRESHOLDS_DEFAULT } from "@turnpike/domain/alerts/quota-threshold";
import { Checkbox } from "@turnpike/ui/checkbox";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatPercent } from "#platform/format.ts";
import { listPercentages } from "#platform/format-measure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { quotaAlertsQuery } from "#platform/shared-queries.ts";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { TenantId } from "../analytics.queries.ts";
import type { QuotaAlerts } from "./alerts.queries.ts";
import { describeMail, NoticeForm, NoticeSettingsCard } from "./notice-settings-card.tsx";

export type QuotaAlertsCardProps = { tenantId: TenantId; mayChange: boolean };

/** The shares of the plan's quotas that trigger a notification, and who gets it. */
export function QuotaAlertsCard({ tenantId, mayChange }: QuotaAlertsCardProps) {
  return (
    <NoticeSettingsCard
      title={t`Quotas`}
      description={t`Notifies once per billing period when this much of a plan quota is used. Live and test count separately.`}
      settings={useQuery(quotaAlertsQuery(usePlatform().api, tenantId))}
      mayChange={mayChange}
      renderForm={(settings) => <QuotaForm tenantId={tenantId} settings={settings} />}
      describe={describe}
    />
  );
}

function describe({ thresholds, mailRoles }: QuotaAlerts): string {
  if (thresholds.length === 0) {
    return t`Quota notifications are off.`;
  }
  return t`Notifies at ${listPercentages(thresholds)}${describeMail(mailRoles)}.`;
}

function QuotaForm({ tenantId, settings }: { tenantId: TenantId; settings: QuotaAlerts }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [thresholds, setThresholds] = useState<readonly number[]>(settings.thresholds);
  const [mailRoles, setMailRoles] = useState(settings.mailRoles);
  // Thresholds set through the API are offered along with the defaults.
  const offered = [...new Set([...QUOTA_THRESHOLDS_DEFAULT, ...settings.thresholds])].sort(
    (one, other) => one - other,
  );
  const save = useMutation({
    mutationKey: ["quota-alerts", "save"],
    mutationFn: () =>
      api.alerts.setQuotaAlerts({
        tenantId,
        thresholds: [...thresholds],
        mailRoles: [...mailRoles],
      }),
    onSuccess: (saved) => {
      client.setQueryData(quotaAlertsQuery(api, tenantId).queryKey, saved);
      toast.success(t`Quota notifications were saved.`);
    },
  });
  const saveOnce = useSubmitOnce(save.mutateAsync, "settled");
  const failure = toFormFailure(save.error, { thresholds: "/thresholds" });
  return (
    <NoticeForm
      title={failure === undefined ? undefined : t`Quota notifications were not saved.`}
      errors={failure?.messages ?? []}
      roles={mailRoles}
      help={t`Sent to confirmed addresses. Everyone is notified in the console, and webhooks receive quota.threshold_reached.`}
      onRolesChange={(roles) => setMailRoles([...roles])}
      isSaving={save.isPending}
      onSave={saveOnce}
    >
      <fieldset className="min-w-0">
        <legend className="mb-1.5 font-medium text-sm">
          <Trans>Notify at</Trans>
        </legend>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {offered.map((share) => (
            <Checkbox
              key={share}
              label={formatPercent(share / 100)}
              isChecked={thresholds.includes(share)}
              onCheckedChange={(isChecked) =>
                setThresholds(
                  offered.filter((one) => (one === share ? isChecked : thresholds.includes(one))),
                )
              }
            />
          ))}
        </div>
      </fieldset>
    </NoticeForm>
  );
}
