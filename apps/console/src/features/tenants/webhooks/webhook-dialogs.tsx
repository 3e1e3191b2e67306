import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Dialog } from "@turnpike/ui/dialog";
import { SecretOnce } from "@turnpike/ui/secret-once";
import { KeepPage, useStake } from "@turnpike/ui/unsaved";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { TenantId } from "../tenants.queries.ts";
import { WebhookForm } from "./webhook-form.tsx";
import type { Webhook } from "./webhooks.queries.ts";

/** The endpoint action in progress. */
export type WebhookTask =
  | { kind: "save"; webhook: Webhook | undefined }
  | { kind: "secret"; secret: string }
  | { kind: "rotate"; webhook: Webhook }
  | { kind: "delete"; webhook: Webhook };

export type WebhookDialogsProps = {
  tenantId: TenantId;
  task: WebhookTask | undefined;
  onTask: (task: WebhookTask | undefined) => void;
};

/** The old secret signs for another day, long enough to update every machine. */
const GRACE_SECONDS = 86_400;

/** The dialogs of the tab: at most one is open. */
export function WebhookDialogs({ tenantId, task, onTask }: WebhookDialogsProps) {
  const close = () => onTask(undefined);
  const isSaving = task?.kind === "save";
  const isShowing = task?.kind === "secret";
  const isNew = isSaving && task.webhook === undefined;
  return (
    <>
      <Dialog
        isOpen={isSaving || isShowing}
        onClose={close}
        title={isShowing ? t`Your webhook’s secret` : isNew ? t`Add a webhook` : t`Edit webhook`}
      >
        {isSaving && (
          <WebhookForm
            tenantId={tenantId}
            webhook={task.webhook}
            onDone={(secret) =>
              onTask(secret === undefined ? undefined : { kind: "secret", secret })
            }
            onCancel={close}
          />
        )}
        {isShowing && (
          <SecretOnce
            subject={t`Secret`}
            secret={task.secret}
            advice={t`Your program uses it to verify that messages come from here.`}
            onStored={close}
          />
        )}
      </Dialog>
      <KeepPage>
        <RotateDialog
          tenantId={tenantId}
          webhook={task?.kind === "rotate" ? task.webhook : undefined}
          onTask={onTask}
        />
      </KeepPage>
      <DeleteDialog
        tenantId={tenantId}
        webhook={task?.kind === "delete" ? task.webhook : undefined}
        onTask={onTask}
      />
    </>
  );
}

type OneProps = Pick<WebhookDialogsProps, "tenantId" | "onTask"> & { webhook: Webhook | undefined };

function RotateDialog({ tenantId, webhook, onTask }: OneProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const rotate = useMutation({
    mutationKey: ["webhooks", "rotate"],
    mutationFn: ({ webhookId }: Webhook) =>
      api.webhooks.rotateSecret({ tenantId, webhookId, graceSeconds: GRACE_SECONDS }),
    onSuccess: async ({ secret }) => {
      onTask({ kind: "secret", secret });
      await client.invalidateQueries({ queryKey: ["webhooks", tenantId] });
    },
  });
  // The response contains the secret, which is shown nowhere else.
  useStake("secret", rotate.isPending);
  const rotateOnce = useSubmitOnce(rotate.mutateAsync, "settled");
  return (
    <ConfirmDialog
      isOpen={webhook !== undefined}
      onClose={() => {
        rotate.reset();
        onTask(undefined);
      }}
      title={t`Replace the secret?`}
      description={t`For a day every message is signed with both the old secret and the new one, so that your program can switch.`}
      action={t`Replace secret`}
      isDangerous={false}
      progress={rotate.isPending ? t`Replacing…` : undefined}
      error={rotate.isError ? toErrorMessage(rotate.error) : undefined}
      onConfirm={() => webhook !== undefined && rotateOnce(webhook)}
    />
  );
}

function DeleteDialog({ tenantId, webhook, onTask }: OneProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const remove = useMutation({
    mutationKey: ["webhooks", "delete"],
    mutationFn: ({ webhookId }: Webhook) => api.webhooks.delete({ tenantId, webhookId }),
    onSuccess: async () => {
      toast.success(t`The webhook was deleted.`);
      onTask(undefined);
      await client.invalidateQueries({ queryKey: ["webhooks", tenantId] });
    },
  });
  const removeOnce = useSubmitOnce(remove.mutateAsync, "settled");
  return (
    <ConfirmDialog
      isOpen={webhook !== undefined}
      onClose={() => {
        remove.reset();
        onTask(undefined);
      }}
      title={t`Delete this webhook?`}
      description={
        <>
          <span className="[overflow-wrap:anywhere]">{webhook?.url}</span>{" "}
          <Trans>
            hears of nothing more, and the log of its deliveries goes with it. This cannot be taken
            back.
          </Trans>
        </>
      }
      action={t`Delete webhook`}
      nameToType="delete"
      progress={remove.isPending ? t`Deleting…` : undefined}
      error={remove.isError ? toErrorMessage(remove.error) : undefined}
      onConfirm={() => webhook !== undefined && removeOnce(webhook)}
    />
  );
}
