import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Scope, scopesOf } from "@turnpike/domain/access/scopes";
import { Checkbox } from "@turnpike/ui/checkbox";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";
import { mayDo, type Standing } from "../standing.view-model.ts";
import type { TenantRole } from "../tenants.queries.ts";
import { listOffered } from "./abilities.view-model.ts";

export type RoleDialogProps = {
  tenant: OwnTenant;
  standing: Standing;
  /** Undefined while none is made or changed. */
  edited: TenantRole | "new" | undefined;
  onClose: () => void;
};

/** Makes a role of the tenant's own, or changes one. */
export function RoleDialog({ tenant, standing, edited, onClose }: RoleDialogProps) {
  const role = edited === "new" ? undefined : edited;
  return (
    <Dialog
      isOpen={edited !== undefined}
      onClose={onClose}
      title={role === undefined ? t`New role` : t`Change the role ${role.name}`}
      description={
        role === undefined || role.members === 0
          ? t`Everyone with it sees the tenant, its plan and their own notices. Choose what else they may do.`
          : t`Its members have the change at once.`
      }
    >
      {edited !== undefined && (
        <RoleForm tenant={tenant} standing={standing} role={role} onDone={onClose} />
      )}
    </Dialog>
  );
}

type RoleFormProps = {
  tenant: OwnTenant;
  standing: Standing;
  role: TenantRole | undefined;
  onDone: () => void;
};

function RoleForm({ tenant: { tenantId }, standing, role, onDone }: RoleFormProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = useRefreshVerifiedUser();
  const [name, setName] = useState(role?.name ?? "");
  const [description, setDescription] = useState(role?.description ?? "");
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(role?.scopes));
  const held = scopesOf("owner").filter((scope) => mayDo(standing, scope));
  useUnsaved(name !== (role?.name ?? "") || scopes.size !== (role?.scopes.length ?? 0));
  const save = useMutation({
    mutationKey: ["roles", "save"],
    mutationFn: () => {
      const draft = { tenantId, name: name.trim(), description: description.trim() };
      const chosen = listOffered(held).flatMap(({ scope }) => (scopes.has(scope) ? [scope] : []));
      return role === undefined
        ? api.roles.create({ ...draft, scopes: chosen })
        : api.roles.update({ ...draft, roleId: role.role as `rol_${string}`, scopes: chosen });
    },
    onSuccess: async (saved) => {
      toast.success(t`The role ${saved.name} was saved.`);
      onDone();
      await client.invalidateQueries({ queryKey: ["tenants", tenantId] });
      await client.invalidateQueries({ queryKey: ["audit", tenantId] });
      await refresh();
    },
  });
  const saveOnce = useSubmitOnce(save.mutateAsync, "failed");
  const failure = toFormFailure(save.error, {
    ...{ name: "/name", description: "/description", scopes: "/scopes" },
  });

  function toggle(scope: Scope): void {
    const next = new Set(scopes);
    if (!next.delete(scope)) {
      next.add(scope);
    }
    setScopes(next);
  }

  return (
    <DialogForm
      onSubmit={() => saveOnce()}
      onCancel={onDone}
      action={t`Save role`}
      progress={save.isPending ? t`Saving…` : undefined}
      failure={t`The role was not saved.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`Name`}
        name="name"
        value={name}
        maxLength={60}
        autoComplete="off"
        error={failure?.fields.name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextField
        label={t`Description`}
        isOptional
        name="description"
        value={description}
        maxLength={200}
        autoComplete="off"
        error={failure?.fields.description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <fieldset className="min-w-0">
        <legend className="mb-2 font-medium text-sm">
          <Trans>May do</Trans>
        </legend>
        <div className="grid gap-y-2">
          {listOffered(held).map(({ scope, text }) => (
            <Checkbox
              key={scope}
              label={text}
              isChecked={scopes.has(scope)}
              onCheckedChange={() => toggle(scope)}
            />
          ))}
        </div>
        <p role="alert" className="mt-1 text-danger text-xs empty:hidden">
          {failure?.fields.scopes}
        </p>
      </fieldset>
    </DialogForm>
  );
}
