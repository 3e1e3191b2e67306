import { plural, t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import type { TenantId } from "../tenants.queries.ts";
import type { Webhook } from "./webhooks.queries.ts";

/** The endpoint actions that need no confirmation. Each reports its result. */
export function useWebhookActions(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ["webhooks", tenantId] });
  const onError = (error: unknown) => void toast.error(toErrorMessage(error));
  const test = useMutation({
    mutationKey: ["webhooks", "test"],
    mutationFn: ({ webhookId }: Webhook) => api.webhooks.test({ tenantId, webhookId }),
    onSuccess: async () => {
      toast.success(t`A ping is on its way.`);
      await refresh();
    },
    onError,
  });
  const change = useMutation({
    mutationKey: ["webhooks", "switch"],
    mutationFn: ({ webhookId, state }: Webhook) =>
      api.webhooks.update({ tenantId, webhookId, enabled: state !== "enabled" }),
    onSuccess: async ({ state }) => {
      toast.success(state === "enabled" ? t`The webhook is enabled.` : t`The webhook is disabled.`);
      await refresh();
    },
    onError,
  });
  const resend = useMutation({
    mutationKey: ["webhooks", "resend"],
    mutationFn: (name: { webhookId: string; messageId: string }) =>
      api.webhooks.resend({ tenantId, ...name }),
    onSuccess: async () => {
      toast.success(t`The message is being sent again, with the same id.`);
      await refresh();
    },
    onError,
  });
  const replay = useMutation({
    mutationKey: ["webhooks", "replay"],
    mutationFn: (input: { webhookId: string; since: string }) =>
      api.webhooks.replay({ tenantId, ...input }),
    onSuccess: async ({ replayed }) => {
      toast.success(
        replayed === 0
          ? t`Nothing failed for good in the last day. Deliveries that are being retried are not replayed.`
          : t`${String(replayed)} failed ${plural(replayed, { one: "delivery is", other: "deliveries are" })} being replayed.`,
      );
      await refresh();
    },
    onError,
  });
  return { test, change, resend, replay };
}
