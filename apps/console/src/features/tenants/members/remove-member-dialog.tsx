import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type Member, tenantsQueries } from "../tenants.queries.ts";
import { LiveKeysOf } from "./live-keys-of.tsx";
import { nameMember } from "./name-member.ts";

export type RemoveMemberDialogProps = {
  tenant: OwnTenant;
  /** Undefined while no one is being removed. */
  member: Member | undefined;
  onClose: () => void;
};

/** Asks before a member is removed, and names the keys that keep working. */
export function RemoveMemberDialog({ tenant, member, onClose }: RemoveMemberDialogProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  const remove = useMutation({
    mutationKey: ["members", "remove"],
    mutationFn: ({ userId }: Member) => api.tenants.removeMember({ tenantId, userId }),
    onSuccess: async ({ liveKeys, pausedWebhooks }, gone) => {
      const keys = liveKeys.length === 0 ? "" : t` The keys they created keep working.`;
      const webhooks =
        pausedWebhooks.length === 0
          ? ""
          : t` Their webhooks are paused until someone takes them over.`;
      toast.success(t`${nameMember(gone)} was removed.${keys}${webhooks}`);
      onClose();
      await client.invalidateQueries({
        queryKey: tenantsQueries.invitations(api, tenantId).queryKey,
      });
      await client.invalidateQueries({ queryKey: ["tenants", tenantId, "members"] });
      await client.invalidateQueries({ queryKey: ["audit", tenantId] });
      await client.invalidateQueries({ queryKey: ["webhooks", tenantId] });
    },
  });
  const removeOnce = useSubmitOnce(remove.mutateAsync, "settled");
  const name = member === undefined ? "" : nameMember(member);
  return (
    <ConfirmDialog
      isOpen={member !== undefined}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title={t`Remove ${name}?`}
      description={
        member !== undefined && (
          <>
            <p>
              <Trans>
                They lose access to {tenant.name} at once, the invitations they sent stop working,
                and their webhooks are paused until someone takes them over.
              </Trans>
            </p>
            <LiveKeysOf tenantId={tenantId} userId={member.userId} whose="they" />
          </>
        )
      }
      action={t`Remove member`}
      nameToType={name}
      progress={remove.isPending ? t`Removing…` : undefined}
      error={remove.isError ? toErrorMessage(remove.error) : undefined}
      onConfirm={() => member !== undefined && removeOnce(member)}
    />
  );
}
