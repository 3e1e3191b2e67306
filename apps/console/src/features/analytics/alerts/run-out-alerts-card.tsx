import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RUN_OUT_DAYS_DEFAULT, RUN_OUT_DAYS_MAX } from "@turnpike/domain/alerts/run-out-notice";
import { Checkbox } from "@turnpike/ui/checkbox";
import { NumberField } from "@turnpike/ui/number-field";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { runOutAlertsQuery } from "#platform/shared-queries.ts";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { TenantId } from "../analytics.queries.ts";
import type { RunOutAlerts } from "./alerts.queries.ts";
import { describeMail, NoticeForm, NoticeSettingsCard } from "./notice-settings-card.tsx";

export type RunOutAlertsCardProps = { tenantId: TenantId; mayChange: boolean };

/** How many days before something is forecast to run out members get a notice, and which roles get mail. */
export function RunOutAlertsCard({ tenantId, mayChange }: RunOutAlertsCardProps) {
  return (
    <NoticeSettingsCard
      title={t`What will run out`}
      description={t`Notifies once when a quota, the spend cap or credit is forecast to run out soon. It takes 21 days of usage.`}
      settings={useQuery(runOutAlertsQuery(usePlatform().api, tenantId))}
      mayChange={mayChange}
      renderForm={(settings) => <RunOutForm tenantId={tenantId} settings={settings} />}
      describe={describe}
    />
  );
}

function describe({ days, mailRoles }: RunOutAlerts): string {
  return days === null
    ? t`Notifications of what will run out are off.`
    : t`Notifies ${String(days)} days before${describeMail(mailRoles)}.`;
}

function RunOutForm({ tenantId, settings }: { tenantId: TenantId; settings: RunOutAlerts }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [isOn, setIsOn] = useState(settings.days !== null);
  const [days, setDays] = useState<number | null>(settings.days ?? RUN_OUT_DAYS_DEFAULT);
  const [mailRoles, setMailRoles] = useState(settings.mailRoles);
  const save = useMutation({
    mutationKey: ["run-out-alerts", "save"],
    mutationFn: () =>
      api.alerts.setRunOutAlerts({
        tenantId,
        days: isOn ? (days ?? RUN_OUT_DAYS_DEFAULT) : null,
        mailRoles: [...mailRoles],
      }),
    onSuccess: (saved) => {
      client.setQueryData(runOutAlertsQuery(api, tenantId).queryKey, saved);
      toast.success(t`Notifications of what will run out were saved.`);
    },
  });
  const saveOnce = useSubmitOnce(save.mutateAsync, "settled");
  const failure = toFormFailure(save.error, { days: "/days" });
  return (
    <NoticeForm
      title={
        failure === undefined ? undefined : t`Notifications of what will run out were not saved.`
      }
      errors={failure?.messages ?? []}
      roles={mailRoles}
      help={t`Sent to confirmed addresses. Everyone is notified in the console, and webhooks receive forecast.runs_out.`}
      onRolesChange={(roles) => setMailRoles([...roles])}
      isSaving={save.isPending}
      onSave={saveOnce}
    >
      <Checkbox label={t`Notify before it runs out`} isChecked={isOn} onCheckedChange={setIsOn} />
      {isOn && (
        <NumberField
          label={t`How long before`}
          unit={t`days`}
          min={1}
          max={RUN_OUT_DAYS_MAX}
          className="max-w-48"
          value={days}
          onValueChange={setDays}
          error={failure?.fields.days}
        />
      )}
    </NoticeForm>
  );
}
