import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useLeaveBehind } from "./use-leave-behind.ts";

/** Deletes the tenant; shown to its owners. */
export function DeleteCard({ tenant }: { tenant: OwnTenant }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Card
      title={t`Delete tenant`}
      description={t`Its keys stop working at once, and its members lose access. The operator can restore it for 30 days; then its data is removed.`}
    >
      <Button look="danger" onClick={() => setIsAsking(true)}>
        <Trans>Delete tenant…</Trans>
      </Button>
      <DeleteDialog tenant={tenant} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </Card>
  );
}

type DeleteDialogProps = { tenant: OwnTenant; isOpen: boolean; onClose: () => void };

function DeleteDialog({ tenant, isOpen, onClose }: DeleteDialogProps) {
  const { api } = usePlatform();
  const leaveBehind = useLeaveBehind(tenant);
  const remove = useMutation({
    mutationKey: ["tenants", "delete"],
    mutationFn: () => api.tenants.delete({ tenantId: tenant.tenantId, name: tenant.name }),
    onSuccess: async () => {
      toast.success(t`${tenant.name} is deleted.`);
      await leaveBehind();
    },
  });
  const removeOnce = useSubmitOnce(remove.mutateAsync, "settled");
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title={t`Delete ${tenant.name}?`}
      description={
        <ul className="list-disc space-y-1 pl-4">
          <li>
            <Trans>
              Every API key is revoked permanently: calls with them are denied within a second.
            </Trans>
          </li>
          <li>
            <Trans>All members lose access, and open invitations stop working.</Trans>
          </li>
          <li>
            <Trans>Webhooks are disabled, and running exports are cancelled.</Trans>
          </li>
          <li>
            <Trans>Usage so far stays recorded, for accounting.</Trans>
          </li>
        </ul>
      }
      action={t`Delete tenant`}
      nameToType={tenant.name}
      progress={remove.isPending ? t`Deleting…` : undefined}
      error={remove.isError ? toErrorMessage(remove.error) : undefined}
      onConfirm={() => removeOnce()}
    />
  );
}
