import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Dialog } from "@turnpike/ui/dialog";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { TenantId } from "../analytics.queries.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { type AlertDraft, draftFromAlert } from "./alert-draft.view-model.ts";
import { AlertForm } from "./alert-form.tsx";
import type { Alert } from "./alerts.queries.ts";

/** The alert action in progress. */
export type AlertTask =
  | { kind: "add"; draft: AlertDraft }
  | { kind: "edit"; alert: Alert }
  | { kind: "delete"; alert: Alert };

export type AlertDialogsProps = {
  tenantId: TenantId;
  keyNames: ReadonlyMap<string, KeyName>;
  task: AlertTask | undefined;
  onTask: (task: AlertTask | undefined) => void;
  onSaved: (alert: Alert) => void;
};

/** The dialogs of alerts: at most one is open. */
export function AlertDialogs({ tenantId, keyNames, task, onTask, onSaved }: AlertDialogsProps) {
  const close = () => onTask(undefined);
  const isSaving = task?.kind === "add" || task?.kind === "edit";
  return (
    <>
      <Dialog
        isOpen={isSaving}
        onClose={close}
        size="wide"
        title={task?.kind === "edit" ? t`Edit alert` : t`Alert me`}
        description={t`Checked every minute. Notifies in the console, by confirmed e-mail and by webhook.`}
      >
        {isSaving && (
          <AlertForm
            tenantId={tenantId}
            keyNames={keyNames}
            alertId={task.kind === "edit" ? task.alert.alertId : undefined}
            start={task.kind === "edit" ? draftFromAlert(task.alert) : task.draft}
            onDone={(alert) => {
              close();
              onSaved(alert);
            }}
            onCancel={close}
          />
        )}
      </Dialog>
      <DeleteDialog
        tenantId={tenantId}
        alert={task?.kind === "delete" ? task.alert : undefined}
        onDone={close}
      />
    </>
  );
}

type DeleteProps = { tenantId: TenantId; alert: Alert | undefined; onDone: () => void };

function DeleteDialog({ tenantId, alert, onDone }: DeleteProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const remove = useMutation({
    mutationKey: ["alerts", "delete"],
    mutationFn: ({ alertId }: Alert) => api.alerts.delete({ tenantId, alertId }),
    onSuccess: async () => {
      toast.success(t`The alert was deleted.`);
      onDone();
      await client.invalidateQueries({ queryKey: ["alerts", tenantId, "list"] });
    },
  });
  const removeOnce = useSubmitOnce(remove.mutateAsync, "settled");
  return (
    <ConfirmDialog
      isOpen={alert !== undefined}
      onClose={() => {
        remove.reset();
        onDone();
      }}
      title={t`Delete this alert?`}
      description={
        <>
          <span className="font-medium [overflow-wrap:anywhere]">{alert?.name}</span>{" "}
          <Trans>
            tells nothing more, and its history goes with it. This cannot be taken back.
          </Trans>
        </>
      }
      action={t`Delete alert`}
      nameToType="delete"
      progress={remove.isPending ? t`Deleting…` : undefined}
      error={remove.isError ? toErrorMessage(remove.error) : undefined}
      onConfirm={() => alert !== undefined && removeOnce(alert)}
    />
  );
}
