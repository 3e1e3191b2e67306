import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { nameRole, toHeldRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { isGrantable, mayDo, type Standing } from "../standing.view-model.ts";
import { type Invitation, tenantsQueries } from "../tenants.queries.ts";
import { LinkDialog } from "./link-dialog.tsx";
import { MailWay } from "./mail-way.tsx";
import { useResend } from "./use-invite.ts";

export type InvitationsCardProps = { tenant: OwnTenant; standing: Standing };

/** Invitations that have not been accepted yet. */
export function InvitationsCard({ tenant, standing }: InvitationsCardProps) {
  const { api } = usePlatform();
  const invitations = useQuery(tenantsQueries.invitations(api, tenant.tenantId));
  return (
    <section aria-labelledby="invitations-title">
      <h2 id="invitations-title" className="font-semibold text-base">
        <Trans>Pending invitations</Trans>
      </h2>
      <p className="mb-3 max-w-[72ch] text-ink-muted">
        <MailWay />
      </p>
      {invitations.isError ? (
        <FailureNotice
          what={t`The invitations could not be loaded.`}
          cause={invitations.error}
          onRetry={() => void invitations.refetch()}
        />
      ) : invitations.data === undefined ? (
        <Skeleton className="h-16 w-full rounded-card" />
      ) : invitations.data.length === 0 ? (
        <p className="rounded-card border border-line border-dashed px-4 py-5 text-ink-muted">
          <Trans>No pending invitations.</Trans>
        </p>
      ) : (
        <ul
          aria-label={t`Pending invitations`}
          className="divide-y divide-line rounded-card border border-line bg-surface"
        >
          {invitations.data.map((invitation) => (
            <InvitationRow
              key={invitation.invitationId}
              tenant={tenant}
              invitation={invitation}
              mayChange={mayDo(standing, "members:write")}
              mayResend={isGrantable(standing, toHeldRole(invitation))}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

type InvitationRowProps = {
  tenant: OwnTenant;
  invitation: Invitation;
  mayChange: boolean;
  mayResend: boolean;
};

function InvitationRow({ tenant, invitation, mayChange, mayResend }: InvitationRowProps) {
  const [isRevoking, setIsRevoking] = useState(false);
  const [link, setLink] = useState<string>();
  const resend = useResend(tenant.tenantId);
  const resendOnce = useSubmitOnce(resend.mutateAsync, "settled");
  const { email, invitationId } = invitation;

  function sendAgain(): void {
    resendOnce(invitationId, {
      onSuccess: (sent) =>
        sent.link === null
          ? toast.success(t`${email} gets a new link; the previous one no longer works.`)
          : setLink(sent.link),
      onError: (error) => toast.error(t`No new link for ${email}: ${toErrorMessage(error)}`),
    });
  }

  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow basis-56">
        <p className="font-medium [overflow-wrap:anywhere]">{email}</p>
        <p className="text-ink-muted text-xs">
          <Trans>as {nameRole(invitation)}, expires</Trans>{" "}
          <RelativeTime at={invitation.expiresAt} />
        </p>
      </div>
      {mayChange && (
        <div className="flex gap-2">
          {mayResend && (
            <Button
              size="small"
              aria-label={t`Send again to ${email}`}
              progress={resend.isPending ? t`Sending…` : undefined}
              onClick={sendAgain}
            >
              <Trans>Send again</Trans>
            </Button>
          )}
          <Button
            size="small"
            aria-label={t`Revoke the invitation of ${email}`}
            onClick={() => setIsRevoking(true)}
          >
            <Trans>Revoke</Trans>
          </Button>
        </div>
      )}
      <LinkDialog email={email} link={link} onClose={() => setLink(undefined)} />
      <RevokeDialog
        tenant={tenant}
        invitation={invitation}
        isOpen={isRevoking}
        onClose={() => setIsRevoking(false)}
      />
    </li>
  );
}

type RevokeDialogProps = {
  tenant: OwnTenant;
  invitation: Invitation;
  isOpen: boolean;
  onClose: () => void;
};

function RevokeDialog({ tenant, invitation, isOpen, onClose }: RevokeDialogProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  const revoke = useMutation({
    mutationKey: ["invitations", "revoke"],
    mutationFn: () => api.invitations.revoke({ tenantId, invitationId: invitation.invitationId }),
    onSuccess: async () => {
      toast.success(t`The invitation of ${invitation.email} was revoked.`);
      onClose();
      await client.invalidateQueries({
        queryKey: tenantsQueries.invitations(api, tenantId).queryKey,
      });
      await client.invalidateQueries({ queryKey: ["audit", tenantId] });
    },
  });
  const revokeOnce = useSubmitOnce(revoke.mutateAsync, "settled");
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Revoke the invitation of ${invitation.email}?`}
      description={t`The link in the e-mail stops working at once. You can invite the same address again.`}
      action={t`Revoke invitation`}
      progress={revoke.isPending ? t`Revoking…` : undefined}
      error={revoke.isError ? toErrorMessage(revoke.error) : undefined}
      onConfirm={() => revokeOnce()}
    />
  );
}
