import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Combobox } from "@turnpike/ui/combobox";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { titleRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useRefreshVerifiedUser, useVerifiedUser } from "#platform/verified-user.ts";
import { nameMember } from "../members/name-member.ts";
import { type Member, tenantsQueries } from "../tenants.queries.ts";

/** Passes the tenant on to another member; shown to its owners. */
export function TransferCard({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const [chosen, setChosen] = useState<string>();
  const [asked, setAsked] = useState<Member>();
  const members = useQuery(tenantsQueries.members(api, tenant.tenantId));
  const others = members.data?.items.filter(({ userId }) => userId !== user.userId) ?? [];
  const member = others.find(({ userId }) => userId === chosen);
  return (
    <Card
      title={t`Transfer ownership`}
      description={t`A member becomes an owner in your place, and you become an admin, at once. Both of you get a notification, and a mail where mail is set up.`}
    >
      {members.data !== undefined && others.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>
            You are its only member.{" "}
            <Link
              to="/tenants"
              search={{ tab: "members" }}
              className="font-medium text-ink underline underline-offset-4"
            >
              Invite someone
            </Link>{" "}
            first.
          </Trans>
        </p>
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <div className="min-w-0 grow basis-56 sm:max-w-80">
            <Combobox
              label={t`New owner`}
              placeholder={t`Choose a member…`}
              choices={others.map((one) => ({
                value: one.userId,
                label: nameMember(one),
                note: titleRole(one),
              }))}
              value={chosen ?? null}
              onValueChange={setChosen}
            />
          </div>
          <Button disabled={member === undefined} onClick={() => setAsked(member)}>
            <Trans>Transfer…</Trans>
          </Button>
        </div>
      )}
      <TransferDialog tenant={tenant} member={asked} onClose={() => setAsked(undefined)} />
    </Card>
  );
}

type TransferDialogProps = { tenant: OwnTenant; member: Member | undefined; onClose: () => void };

function TransferDialog({ tenant, member, onClose }: TransferDialogProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = useRefreshVerifiedUser();
  const { tenantId } = tenant;
  const transfer = useMutation({
    mutationKey: ["tenants", "transfer"],
    mutationFn: ({ userId }: Member) =>
      api.ownership.transfer({ tenantId, userId, name: tenant.name }),
    onSuccess: async (_, next) => {
      toast.success(t`${nameMember(next)} is now an owner of ${tenant.name}. You are an admin.`);
      onClose();
      await client.invalidateQueries({ queryKey: ["tenants", tenantId] });
      await client.invalidateQueries({ queryKey: ["audit", tenantId] });
      await refresh();
    },
  });
  const transferOnce = useSubmitOnce(transfer.mutateAsync, "settled");
  const name = member === undefined ? "" : nameMember(member);
  return (
    <ConfirmDialog
      isOpen={member !== undefined}
      onClose={() => {
        transfer.reset();
        onClose();
      }}
      title={t`Transfer ${tenant.name} to ${name}?`}
      description={
        <ul className="list-disc space-y-1 pl-4">
          <li>
            <Trans>
              {name} decides about everything: plan, members, deletion, and who else is an owner.
            </Trans>
          </li>
          <li>
            <Trans>You become an admin. Only an owner can make you one again.</Trans>
          </li>
          <li>
            <Trans>Keys, usage and invoices stay as they are.</Trans>
          </li>
        </ul>
      }
      action={t`Transfer ownership`}
      nameToType={tenant.name}
      progress={transfer.isPending ? t`Transferring…` : undefined}
      error={transfer.isError ? toErrorMessage(transfer.error) : undefined}
      onConfirm={() => member !== undefined && transferOnce(member)}
    />
  );
}
