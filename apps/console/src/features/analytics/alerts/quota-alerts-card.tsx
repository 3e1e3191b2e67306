import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { QUOTA_THRESHOLDS_DEFAULT } from "@turnpike/domain/alerts/quota-threshold";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Checkbox } from "@turnpike/ui/checkbox";
import { FormErrors } from "@turnpike/ui/form-errors";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type SubmitEvent, useState } from "react";
import { toast } from "sonner";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { quotaAlertsQuery } from "#platform/shared-queries.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { TenantId } from "../analytics.queries.ts";
import type { QuotaAlerts } from "./alerts.queries.ts";
import { RoleBoxes } from "./role-boxes.tsx";

export type QuotaAlertsCardProps = { tenantId: TenantId; mayChange: boolean };

/** The shares of the plan's quotas that trigger a notification, and who gets it. */
export function QuotaAlertsCard({ tenantId, mayChange }: QuotaAlertsCardProps) {
  const { api } = usePlatform();
  const settings = useQuery(quotaAlertsQuery(api, tenantId));
  return (
    <Card
      title="Quotas"
      description="Notifies once per billing period when this much of a plan quota is used. Live and test count separately."
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
        <QuotaForm tenantId={tenantId} settings={settings.data} />
      ) : (
        <p>{describe(settings.data)}</p>
      )}
    </Card>
  );
}

function describe({ thresholds, mailRoles }: QuotaAlerts): string {
  if (thresholds.length === 0) {
    return "Quota notifications are off.";
  }
  const shares = thresholds.map((one) => `${String(one)}%`).join(", ");
  return `Notifies at ${shares}${mailRoles.length === 0 ? "" : `, by e-mail to the roles ${mailRoles.join(", ")}`}.`;
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
      toast.success("Quota notifications were saved.");
    },
  });
  const saveOnce = useSubmitOnce(save.mutateAsync, "settled");
  const failure = toFormFailure(save.error, { thresholds: "/thresholds" });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    saveOnce();
  }

  return (
    <form onSubmit={submit} className="space-y-4">
      <FormErrors
        title={failure === undefined ? undefined : "Quota notifications were not saved."}
        errors={failure?.messages ?? []}
      />
      <fieldset className="min-w-0">
        <legend className="mb-1.5 font-medium text-sm">Notify at</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {offered.map((share) => (
            <Checkbox
              key={share}
              label={`${String(share)}%`}
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
      <RoleBoxes
        roles={mailRoles}
        help="Sent to confirmed addresses. Everyone is notified in the console, and webhooks receive quota.threshold_reached."
        onChange={(roles) => setMailRoles([...roles])}
      />
      <Button type="submit" progress={save.isPending ? "Saving…" : undefined}>
        Save
      </Button>
    </form>
  );
}
