import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { IconButton } from "@turnpike/ui/icon-button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import UserMinus from "lucide-react/icons/user-minus";
import Users from "lucide-react/icons/users";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toHeldRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { countOwners, findRemovalRefusal, type Standing } from "../standing.view-model.ts";
import { type Member, tenantsQueries } from "../tenants.queries.ts";
import { nameMember } from "./name-member.ts";
import { RemoveMemberDialog } from "./remove-member-dialog.tsx";
import { RoleCell } from "./role-cell.tsx";

export type MembersTableProps = {
  tenant: OwnTenant;
  standing: Standing;
  cursor: string | undefined;
  onCursorChange: (cursor: string | undefined) => void;
};

/** The members, each with the actions that the viewer may take. */
export function MembersTable({ tenant, standing, cursor, onCursorChange }: MembersTableProps) {
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const [leaving, setLeaving] = useState<Member>();
  const members = useQuery({
    ...tenantsQueries.members(api, tenant.tenantId, cursor),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: members.data?.nextCursor,
    onCursorChange,
  });
  if (members.isError && members.data === undefined) {
    return (
      <FailureNotice
        what={t`The members could not be loaded.`}
        cause={members.error}
        onRetry={() => void members.refetch()}
      />
    );
  }
  const isAllSeen = cursor === undefined && members.data !== undefined;
  const ownerCount = isAllSeen ? countOwners(members.data) : undefined;
  const isSelf = (member: Member) => member.userId === user.userId;
  const columns: readonly Column<Member>[] = [
    {
      id: "person",
      header: t`Person`,
      phone: "title",
      cell: (member) => <Person member={member} isSelf={isSelf(member)} />,
    },
    {
      id: "role",
      header: t`Role`,
      className: "md:w-60",
      cell: (member) => (
        <RoleCell
          tenant={tenant}
          member={member}
          question={{ standing, role: toHeldRole(member), isSelf: isSelf(member), ownerCount }}
          cursor={cursor}
        />
      ),
    },
    {
      id: "joined",
      header: t`Joined`,
      className: "md:w-40",
      cell: (member) => <RelativeTime at={member.createdAt} isFocusable={false} />,
    },
  ];
  return (
    <>
      <DataTable
        label={t`Members`}
        columns={columns}
        rows={members.data?.items}
        skeletonRows={2}
        getRowId={({ userId }) => userId}
        getRowName={nameMember}
        isStale={members.isPlaceholderData}
        getRowActions={(member) =>
          !isSelf(member) &&
          findRemovalRefusal({ standing, role: toHeldRole(member), isSelf: false, ownerCount }) ===
            undefined && (
            <IconButton
              label={t`Remove ${nameMember(member)}`}
              icon={<UserMinus aria-hidden="true" />}
              onClick={() => setLeaving(member)}
            />
          )
        }
        empty={
          <EmptyState icon={<Users />} title={t`No members on this page`}>
            <Trans>Everyone who works in this tenant is listed here.</Trans>
          </EmptyState>
        }
        footer={
          <PageFooter
            trail={trail}
            count={members.data?.items.length}
            noun={[t`member`, t`members`]}
          />
        }
      />
      <RemoveMemberDialog tenant={tenant} member={leaving} onClose={() => setLeaving(undefined)} />
    </>
  );
}

function Person({ member, isSelf }: { member: Member; isSelf: boolean }) {
  return (
    <div className="min-w-0">
      <p className="flex min-w-0 flex-wrap items-center gap-2">
        <span className="font-medium [overflow-wrap:anywhere]">{nameMember(member)}</span>
        {isSelf && (
          <Badge hasDot={false}>
            <Trans>You</Trans>
          </Badge>
        )}
      </p>
      {member.name !== null && member.email !== null && (
        <p className="font-normal text-ink-muted text-xs [overflow-wrap:anywhere]">
          {member.email}
        </p>
      )}
    </div>
  );
}
