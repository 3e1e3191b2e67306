import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { toHeldRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { LiveKeysOf } from "../members/live-keys-of.tsx";
import { countOwners, findRemovalRefusal } from "../standing.view-model.ts";
import { tenantsQueries } from "../tenants.queries.ts";
import { useStanding } from "../use-standing.ts";
import { useLeaveBehind } from "./use-leave-behind.ts";

/** Leaves the tenant; everyone can except its last owner. */
export function LeaveCard({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const standing = useStanding(tenant);
  const [isAsking, setIsAsking] = useState(false);
  const members = useQuery(tenantsQueries.members(api, tenant.tenantId));
  const refusal = findRemovalRefusal({
    standing,
    role: toHeldRole(tenant),
    isSelf: true,
    ownerCount: members.data === undefined ? undefined : countOwners(members.data),
  });
  return (
    <Card
      title={t`Leave tenant`}
      description={t`You lose access at once. Anyone who can invite members can bring you back.`}
    >
      {refusal === undefined ? (
        <Button onClick={() => setIsAsking(true)}>
          <Trans>Leave tenant…</Trans>
        </Button>
      ) : (
        <p className="text-ink-muted">
          <Trans>
            You are its only owner, and a tenant needs at least one.{" "}
            <Link
              to="/tenants"
              search={{ tab: "members" }}
              className="font-medium text-ink underline underline-offset-4"
            >
              Make someone else an owner
            </Link>{" "}
            first, then leave.
          </Trans>
        </p>
      )}
      <LeaveDialog tenant={tenant} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </Card>
  );
}

type LeaveDialogProps = { tenant: OwnTenant; isOpen: boolean; onClose: () => void };

function LeaveDialog({ tenant, isOpen, onClose }: LeaveDialogProps) {
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const leaveBehind = useLeaveBehind(tenant);
  const leave = useMutation({
    mutationKey: ["members", "leave"],
    mutationFn: () => api.tenants.removeMember({ tenantId: tenant.tenantId, userId: user.userId }),
    onSuccess: async () => {
      toast.success(t`You have left ${tenant.name}.`);
      await leaveBehind();
    },
  });
  const leaveOnce = useSubmitOnce(leave.mutateAsync, "settled");
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={() => {
        leave.reset();
        onClose();
      }}
      title={t`Leave ${tenant.name}?`}
      description={
        <>
          <p>
            <Trans>You lose access to its keys, usage and settings at once.</Trans>
          </p>
          <LiveKeysOf tenantId={tenant.tenantId} userId={user.userId} whose="you" />
        </>
      }
      action={t`Leave tenant`}
      nameToType={tenant.name}
      progress={leave.isPending ? t`Leaving…` : undefined}
      error={leave.isError ? toErrorMessage(leave.error) : undefined}
      onConfirm={() => leaveOnce()}
    />
  );
}
