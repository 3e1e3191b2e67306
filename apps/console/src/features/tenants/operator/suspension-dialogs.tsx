import { t } from "@lingui/core/macro";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextArea } from "@turnpike/ui/text-area";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { toast } from "#platform/toast.ts";
import type { Tenant } from "../tenants.queries.ts";
import { useUpdateAnyTenant } from "./use-update-any-tenant.ts";

type DialogProps = { tenant: Tenant; isOpen: boolean; onClose: () => void };

/** Asks why, in words for the customer, and suspends the tenant. */
export function SuspendDialog({ tenant, isOpen, onClose }: DialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Suspend ${tenant.name}?`}
      description={t`All calls with its keys are blocked within a second. Its members can still sign in, and read your reason in the console and by mail. You can resume the tenant at any time.`}
    >
      <SuspendForm tenant={tenant} onDone={onClose} />
    </Dialog>
  );
}

function SuspendForm({ tenant, onDone }: { tenant: Tenant; onDone: () => void }) {
  const [reason, setReason] = useState("");
  useUnsaved(reason.trim() !== "");
  const update = useUpdateAnyTenant(tenant.tenantId);
  const failure = toFormFailure(update.error, { reason: "/suspensionReason" });
  return (
    <DialogForm
      onSubmit={() =>
        update.mutate(
          { suspended: true, suspensionReason: reason.trim() },
          {
            onSuccess: () => {
              toast.success(t`${tenant.name} is suspended: all its calls are blocked.`);
              onDone();
            },
          },
        )
      }
      onCancel={onDone}
      action={t`Suspend tenant`}
      progress={update.isPending ? t`Suspending…` : undefined}
      isDisabled={reason.trim() === ""}
      failure={t`The tenant was not suspended.`}
      errors={failure?.messages}
    >
      <TextArea
        label={t`Reason`}
        help={t`The customer reads it word for word. The audit log has it too.`}
        maxLength={500}
        value={reason}
        error={failure?.fields.reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

/** Asks before a suspension is lifted. */
export function ResumeDialog({ tenant, isOpen, onClose }: DialogProps) {
  const update = useUpdateAnyTenant(tenant.tenantId);

  function close(): void {
    update.reset();
    onClose();
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={close}
      title={t`Resume ${tenant.name}?`}
      description={t`Its keys work again within a second, with the limits of its plan. Its members get a message, and the audit log will say that it was you.`}
      action={t`Resume tenant`}
      isDangerous={false}
      progress={update.isPending ? t`Resuming…` : undefined}
      error={update.isError ? toErrorMessage(update.error) : undefined}
      onConfirm={() =>
        update.mutate(
          { suspended: false },
          {
            onSuccess: () => {
              toast.success(t`${tenant.name} is active again.`);
              close();
            },
          },
        )
      }
    />
  );
}
