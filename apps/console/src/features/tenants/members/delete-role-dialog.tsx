import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { nameOfRole, type RoleName } from "@turnpike/domain/access/scopes";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Select } from "@turnpike/ui/select";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { titleRole, toHeldRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";
import { isGrantable, type Standing } from "../standing.view-model.ts";
import type { TenantRole } from "../tenants.queries.ts";

export type DeleteRoleDialogProps = {
  tenant: OwnTenant;
  standing: Standing;
  /** Undefined while none is being deleted. */
  role: TenantRole | undefined;
  roles: readonly TenantRole[];
  onClose: () => void;
};

/** Asks before a role is deleted and, where it is in use, for the one that takes its place. */
export function DeleteRoleDialog(props: DeleteRoleDialogProps) {
  const { tenant, standing, role, roles, onClose } = props;
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = useRefreshVerifiedUser();
  const [replacement, setReplacement] = useState<RoleName>("viewer");
  const { tenantId } = tenant;
  const isUsed = role !== undefined && role.members + role.invitations > 0;
  const remove = useMutation({
    mutationKey: ["roles", "delete"],
    mutationFn: (gone: TenantRole) =>
      api.roles.delete({
        ...{ tenantId, roleId: gone.role as `rol_${string}` },
        ...(isUsed && { replacement }),
      }),
    onSuccess: async (_, gone) => {
      toast.success(t`The role ${gone.name} was deleted.`);
      onClose();
      await client.invalidateQueries({ queryKey: ["tenants", tenantId] });
      await client.invalidateQueries({ queryKey: ["audit", tenantId] });
      await refresh();
    },
  });
  const removeOnce = useSubmitOnce(remove.mutateAsync, "settled");
  const choices = roles
    .filter((one) => one.role !== role?.role)
    .map((one) => ({ ...one, named: { role: one.role, customRole: one } }))
    .filter(({ named }) => isGrantable(standing, toHeldRole(named)))
    .map(({ named }) => ({ value: nameOfRole(toHeldRole(named)), label: titleRole(named) }));
  return (
    <ConfirmDialog
      isOpen={role !== undefined}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title={t`Delete the role ${role?.name ?? ""}?`}
      description={
        isUsed ? (
          <>
            <p className="mb-3">
              <Trans>
                Members who have it ({role.members}) and open invitations that offer it (
                {role.invitations}) get another role at once:
              </Trans>
            </p>
            <Select
              label={t`Role instead`}
              value={replacement}
              choices={choices}
              onValueChange={setReplacement}
            />
          </>
        ) : (
          t`No one has it.`
        )
      }
      action={t`Delete role`}
      progress={remove.isPending ? t`Deleting…` : undefined}
      error={remove.isError ? toErrorMessage(remove.error) : undefined}
      onConfirm={() => role !== undefined && removeOnce(role)}
    />
  );
}
