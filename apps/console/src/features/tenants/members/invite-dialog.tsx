import type { Role } from "@turnpike/domain/access/scopes";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { SelectField } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toast } from "sonner";
import { ROLE_NAMES } from "#components/app-frame/tenant-switcher.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { listGrantableRoles, ROLE_NOTES, type Standing } from "../standing.view-model.ts";
import { MailWay } from "./mail-way.tsx";
import { useInvite } from "./use-invite.ts";

export type InviteDialogProps = {
  tenant: OwnTenant;
  standing: Standing;
  isOpen: boolean;
  onClose: () => void;
};

/** Asks for the address and role of a new member. */
export function InviteDialog({ tenant, standing, isOpen, onClose }: InviteDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Invite to ${tenant.name}`}
      description={<MailWay />}
    >
      <InviteForm tenant={tenant} standing={standing} onDone={onClose} />
    </Dialog>
  );
}

type InviteFormProps = { tenant: OwnTenant; standing: Standing; onDone: () => void };

function InviteForm({ tenant, standing, onDone }: InviteFormProps) {
  const { config } = usePlatform();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("developer");
  useUnsaved(email.trim() !== "");
  const invite = useInvite(tenant.tenantId);
  const submitOnce = useSubmitOnce(invite.mutateAsync, "failed");
  const failure = toFormFailure(invite.error, { email: "/email", role: "/role" });

  function submit(): void {
    submitOnce(
      { email: email.trim(), role },
      {
        onSuccess: (invitation) => {
          toast.success(
            config.mail.delivers
              ? `The invitation to ${invitation.email} is on its way.`
              : `The invitation to ${invitation.email} is in the outbox.`,
          );
          onDone();
        },
      },
    );
  }

  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onDone}
      action="Send invitation"
      progress={invite.isPending ? "Sending…" : undefined}
      failure="The invitation was not sent."
      errors={failure?.messages}
    >
      <TextField
        label="E-mail address"
        type="email"
        name="email"
        value={email}
        maxLength={320}
        autoComplete="off"
        error={failure?.fields.email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <SelectField
        label="Role"
        help={ROLE_NOTES[role]}
        value={role}
        error={failure?.fields.role}
        choices={listGrantableRoles(standing).map((one) => ({
          value: one,
          label: ROLE_NAMES[one],
          note: ROLE_NOTES[one],
        }))}
        onValueChange={setRole}
      />
    </DialogForm>
  );
}
