import { Button } from "@turnpike/ui/button";
import { Dialog, DialogActions } from "@turnpike/ui/dialog";
import { FormErrors } from "@turnpike/ui/form-errors";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { toast } from "sonner";
import { toFormFailure } from "#platform/form-failure.ts";
import { useCreateTenant } from "#platform/use-create-tenant.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";

export type CreateTenantDialogProps = { isOpen: boolean; onClose: () => void };

/** Asks for a name and makes a tenant of it, which becomes the current one. */
export function CreateTenantDialog({ isOpen, onClose }: CreateTenantDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Create a tenant"
      description="A tenant has its own keys, plan, usage and members. You will be its owner."
    >
      <CreateTenantForm onDone={onClose} />
    </Dialog>
  );
}

function CreateTenantForm({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState("");
  const create = useCreateTenant();
  const submitOnce = useSubmitOnce(create.mutateAsync, "failed");
  const failure = toFormFailure(create.error, { name: "/name" });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    submitOnce(
      { name },
      {
        onSuccess: (tenant) => {
          toast.success(`${tenant.name} is ready.`);
          onDone();
        },
      },
    );
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <FormErrors
        title={failure === undefined ? undefined : "The tenant was not created."}
        errors={failure?.messages ?? []}
      />
      <TextField
        label="Name"
        help="Your company or project. It can be changed later."
        name="name"
        value={name}
        maxLength={100}
        autoComplete="organization"
        error={failure?.fields.name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <DialogActions>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" progress={create.isPending ? "Creating…" : undefined}>
          Create tenant
        </Button>
      </DialogActions>
    </form>
  );
}
