import { t } from "@lingui/core/macro";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { toast } from "#platform/toast.ts";
import { useCreateTenant } from "#platform/use-create-tenant.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";

export type CreateTenantDialogProps = { isOpen: boolean; onClose: () => void };

/** Asks for a name and makes a tenant of it, which becomes the current one. */
export function CreateTenantDialog({ isOpen, onClose }: CreateTenantDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Create a tenant`}
      description={t`A tenant has its own keys, plan, usage and members. You will be its owner.`}
    >
      <CreateTenantForm onDone={onClose} />
    </Dialog>
  );
}

function CreateTenantForm({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState("");
  useUnsaved(name.trim() !== "");
  const create = useCreateTenant();
  const submitOnce = useSubmitOnce(create.mutateAsync, "failed");
  const failure = toFormFailure(create.error, { name: "/name" });

  function submit(): void {
    submitOnce(
      { name },
      {
        onSuccess: (tenant) => {
          toast.success(t`${tenant.name} is ready.`);
          onDone();
        },
      },
    );
  }

  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onDone}
      action={t`Create tenant`}
      progress={create.isPending ? t`Creating…` : undefined}
      failure={t`The tenant was not created.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`Name`}
        help={t`Your company or project. You can change it later.`}
        name="name"
        value={name}
        maxLength={100}
        autoComplete="organization"
        error={failure?.fields.name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
