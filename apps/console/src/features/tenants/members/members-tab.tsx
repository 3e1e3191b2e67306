import { Button } from "@turnpike/ui/button";
import UserPlus from "lucide-react/icons/user-plus";
import { useState } from "react";
import { ROLE_NAMES } from "#components/app-frame/tenant-switcher.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayDo, ROLE_NOTES, type Standing, toMissingScope } from "../standing.view-model.ts";
import type { TabProps } from "../tab-props.ts";
import { useStanding } from "../use-standing.ts";
import { InvitationsCard } from "./invitations-card.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MembersTable } from "./members-table.tsx";

export type MembersTabProps = TabProps & { tenant: OwnTenant };

/** The tenant's members with their roles, and its invitations. */
export function MembersTab({ tenant, search, onSearchChange }: MembersTabProps) {
  const standing = useStanding(tenant);
  const [isInviting, setIsInviting] = useState(false);
  const mayWrite = mayDo(standing, "members:write");
  return (
    <div className="space-y-6">
      <section aria-labelledby="members-title">
        <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
          <div className="min-w-0">
            <h2 id="members-title" className="font-semibold text-base">
              Members
            </h2>
            {!mayWrite && (
              <p className="text-ink-muted">{toMissingScope(tenant, "change members")}</p>
            )}
          </div>
          {mayWrite && (
            <Button look="primary" onClick={() => setIsInviting(true)}>
              <UserPlus className="size-4" aria-hidden="true" />
              Invite member
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
      <InvitationsCard tenant={tenant} standing={standing} />
      <RoleNotes />
      <InviteDialog
        tenant={tenant}
        standing={standing}
        isOpen={isInviting}
        onClose={() => setIsInviting(false)}
      />
    </div>
  );
}

const ROLE_ENTRIES = Object.entries(ROLE_NOTES) as [Standing["role"], string][];

function RoleNotes() {
  return (
    <section aria-labelledby="roles-title">
      <h2 id="roles-title" className="mb-3 font-semibold text-base">
        What each role can do
      </h2>
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
        {ROLE_ENTRIES.map(([role, note]) => (
          <div key={role} className="min-w-0">
            <dt className="font-medium">{ROLE_NAMES[role]}</dt>
            <dd className="text-ink-muted">{note}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
