import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import type { TenantId } from "../analytics.queries.ts";
import type { Alert } from "./alerts.queries.ts";

const HOUR_MS = 3_600_000;

/** How long an alert is paused: a number of hours, or until someone resumes it. */
export type PauseHours = 1 | 8 | 24 | null;

/** The alert actions that need no confirmation. Each reports its result. */
export function useAlertActions(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ["alerts", tenantId] });
  const onError = (error: unknown) => void toast.error(toErrorMessage(error));
  const pause = useMutation({
    mutationKey: ["alerts", "pause"],
    mutationFn: ({ alert, hours }: { alert: Alert; hours: PauseHours }) =>
      api.alerts.pause({
        tenantId,
        alertId: alert.alertId,
        ...(hours === null ? {} : { until: new Date(Date.now() + hours * HOUR_MS).toISOString() }),
      }),
    onSuccess: async ({ name }) => {
      toast.success(t`${name} is paused and sends no notifications.`);
      await refresh();
    },
    onError,
  });
  const resume = useMutation({
    mutationKey: ["alerts", "resume"],
    mutationFn: ({ alertId }: Alert) => api.alerts.resume({ tenantId, alertId }),
    onSuccess: async ({ name }) => {
      toast.success(t`${name} is checked again within a minute or two.`);
      await refresh();
    },
    onError,
  });
  const test = useMutation({
    mutationKey: ["alerts", "test"],
    mutationFn: ({ alertId }: Alert) => api.alerts.test({ tenantId, alertId }),
    onSuccess: async () => {
      toast.success(t`A test is on its way to the console, e-mail and webhooks.`);
      await Promise.all([
        refresh(),
        client.invalidateQueries({ queryKey: ["notifications", tenantId] }),
      ]);
    },
    onError,
  });
  return { pause, resume, test };
}
