import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextArea } from "@turnpike/ui/text-area";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { useSetActing } from "#platform/acting.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";

export type ActDialogProps = { tenant: OwnTenant; onClose: () => void };

/** Asks an operator for the reason before they act in a tenant. */
export function ActDialog({ tenant, onClose }: ActDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Act in ${tenant.name}?`}
      description={t`For an hour at most, in all your tabs, you can do what its admins can. Payment, its deletion, its ownership and the secrets of its keys stay with its members. They get a notification at once, and their audit log names you and the reason with each change.`}
    >
      <ActForm tenant={tenant} onClose={onClose} />
    </Dialog>
  );
}

function ActForm({ tenant, onClose }: ActDialogProps) {
  const { api } = usePlatform();
  const setActing = useSetActing();
  const [reason, setReason] = useState("");
  useUnsaved(reason.trim() !== "");
  const start = useMutation({
    mutationKey: ["acting", "start"],
    mutationFn: () => api.acting.start({ tenantId: tenant.tenantId, reason }),
    onSuccess: (acting) => {
      setActing(acting);
      onClose();
    },
  });
  const submitOnce = useSubmitOnce(start.mutateAsync, "failed");
  const failure = toFormFailure(start.error, { reason: "/reason" });
  return (
    <DialogForm
      onSubmit={() => submitOnce()}
      onCancel={onClose}
      action={t`Act in this tenant`}
      progress={start.isPending ? t`Beginning…` : undefined}
      failure={t`You do not act in the tenant.`}
      errors={failure?.messages}
    >
      <TextArea
        label={t`Reason`}
        help={t`10 to 500 characters. The members of the tenant read it.`}
        name="reason"
        value={reason}
        maxLength={500}
        error={failure?.fields.reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
