import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RUN_OUT_DAYS_DEFAULT, RUN_OUT_DAYS_MAX } from "@turnpike/domain/alerts/run-out-notice";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Checkbox } from "@turnpike/ui/checkbox";
import { FormErrors } from "@turnpike/ui/form-errors";
import { NumberField } from "@turnpike/ui/number-field";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type SubmitEvent, useState } from "react";
import { toast } from "sonner";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { runOutAlertsQuery } from "#platform/shared-queries.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { TenantId } from "../analytics.queries.ts";
import type { RunOutAlerts } from "./alerts.queries.ts";
import { RoleBoxes } from "./role-boxes.tsx";

export type RunOutAlertsCardProps = { tenantId: TenantId; mayChange: boolean };

/** How many days before something is forecast to run out members get a notice, and which roles get mail. */
export function RunOutAlertsCard({ tenantId, mayChange }: RunOutAlertsCardProps) {
  const { api } = usePlatform();
  const settings = useQuery(runOutAlertsQuery(api, tenantId));
  return (
    <Card
      title="What will run out"
      description="Notifies once when a quota, the spend cap or credit is forecast to run out soon. It takes 21 days of usage."
    >
      {settings.data === undefined ? (
        settings.isError ? (
          <FailureNotice
            what="The settings could not be loaded."
            cause={settings.error}
            onRetry={() => void settings.refetch()}
          />
        ) : (
          <Skeleton className="h-28" />
        )
      ) : mayChange ? (
        <RunOutForm tenantId={tenantId} settings={settings.data} />
      ) : (
        <p>{describe(settings.data)}</p>
      )}
    </Card>
  );
}

function describe({ days, mailRoles }: RunOutAlerts): string {
  if (days === null) {
    return "Notifications of what will run out are off.";
  }
  const mail = mailRoles.length === 0 ? "" : `, by e-mail to the roles ${mailRoles.join(", ")}`;
  return `Notifies ${String(days)} days before${mail}.`;
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
      toast.success("Notifications of what will run out were saved.");
    },
  });
  const saveOnce = useSubmitOnce(save.mutateAsync, "settled");
  const failure = toFormFailure(save.error, { days: "/days" });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    saveOnce();
  }

  return (
    <form onSubmit={submit} className="space-y-4">
      <FormErrors
        title={
          failure === undefined ? undefined : "Notifications of what will run out were not saved."
        }
        errors={failure?.messages ?? []}
      />
      <Checkbox label="Notify before it runs out" isChecked={isOn} onCheckedChange={setIsOn} />
      {isOn && (
        <NumberField
          label="How long before"
          unit="days"
          min={1}
          max={RUN_OUT_DAYS_MAX}
          className="max-w-48"
          value={days}
          onValueChange={setDays}
          error={failure?.fields.days}
        />
      )}
      <RoleBoxes
        roles={mailRoles}
        help="Sent to confirmed addresses. Everyone is notified in the console, and webhooks receive forecast.runs_out."
        onChange={(roles) => setMailRoles([...roles])}
      />
      <Button type="submit" progress={save.isPending ? "Saving…" : undefined}>
        Save
      </Button>
    </form>
  );
}
