import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import UserPlus from "lucide-react/icons/user-plus";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { mayDo, toMissingScope } from "../standing.view-model.ts";
import type { TabProps } from "../tab-props.ts";
import { tenantsQueries } from "../tenants.queries.ts";
import { useStanding } from "../use-standing.ts";
import { InvitationsCard } from "./invitations-card.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MembersTable } from "./members-table.tsx";
import { RolesCard } from "./roles-card.tsx";

export type MembersTabProps = TabProps & { tenant: OwnTenant };

/** The tenant's members with their roles, and its invitations. */
export function MembersTab({ tenant, search, onSearchChange }: MembersTabProps) {
  const standing = useStanding(tenant);
  const [isInviting, setIsInviting] = useState(false);
  const mayWrite = mayDo(standing, "members:write");
  const areListsHere = useAreListsHere(tenant, search.cursor);
  return (
    <div className="space-y-6">
      <section aria-labelledby="members-title">
        <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
          <div className="min-w-0">
            <h2 id="members-title" className="font-semibold text-base">
              <Trans>Members</Trans>
            </h2>
            {!mayWrite && (
              <p className="text-ink-muted">{toMissingScope(tenant, t`change members`)}</p>
            )}
          </div>
          {mayWrite && (
            <Button look="primary" onClick={() => setIsInviting(true)}>
              <UserPlus className="size-4" aria-hidden="true" />
              <Trans>Invite member</Trans>
            </Button>
          )}
        </div>
        <MembersTable
          tenant={tenant}
          standing={standing}
          cursor={search.cursor}
          onCursorChange={(cursor) =>
            onSearchChange({ tab: "members", ...(cursor === undefined ? {} : { cursor }) })
          }
        />
      </section>
      {areListsHere && (
        <>
          <InvitationsCard tenant={tenant} standing={standing} />
          <RolesCard tenant={tenant} standing={standing} />
        </>
      )}
      <InviteDialog
        tenant={tenant}
        standing={standing}
        isOpen={isInviting}
        onClose={() => setIsInviting(false)}
      />
    </div>
  );
}

/**
 * True once the lists of the tab were there, or failed: they are as long as they are, and would move what is below them.
 * Another page of members keeps it.
 */
function useAreListsHere({ tenantId }: OwnTenant, cursor: string | undefined): boolean {
  const { api } = usePlatform();
  const members = useQuery(tenantsQueries.members(api, tenantId, cursor));
  const invitations = useQuery(tenantsQueries.invitations(api, tenantId));
  const roles = useQuery(tenantsQueries.roles(api, tenantId));
  const [wereHere, setWereHere] = useState(false);
  const areHere = ![members, invitations, roles].some(({ isPending }) => isPending);
  if (areHere && !wereHere) {
    setWereHere(true);
  }
  return wereHere;
}
