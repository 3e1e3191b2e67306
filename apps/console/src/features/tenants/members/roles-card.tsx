import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { IconButton } from "@turnpike/ui/icon-button";
import { Skeleton } from "@turnpike/ui/skeleton";
import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import Pencil from "lucide-react/icons/pencil";
import Plus from "lucide-react/icons/plus";
import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { titleRole, toHeldRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { isGrantable, mayDo, type Standing } from "../standing.view-model.ts";
import { type TenantRole, tenantsQueries } from "../tenants.queries.ts";
import { ABILITIES } from "./abilities.view-model.ts";
import { DeleteRoleDialog } from "./delete-role-dialog.tsx";
import { RoleDialog } from "./role-dialog.tsx";

export type RolesCardProps = { tenant: OwnTenant; standing: Standing };

export const toNamed = ({ role, name, scopes }: TenantRole) => ({
  role,
  customRole: { name, scopes },
});

/** Every role with what it may do, and the tenant's own roles to change. */
export function RolesCard({ tenant, standing }: RolesCardProps) {
  const { api } = usePlatform();
  const roles = useQuery(tenantsQueries.roles(api, tenant.tenantId));
  const [edited, setEdited] = useState<TenantRole | "new">();
  const [deleted, setDeleted] = useState<TenantRole>();
  const mayWrite = mayDo(standing, "members:write");
  const own = roles.data?.filter(({ isCustom }) => isCustom) ?? [];
  return (
    <section aria-labelledby="roles-title">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 id="roles-title" className="font-semibold text-base">
          <Trans>What each role can do</Trans>
        </h2>
        {mayWrite && (
          <Button onClick={() => setEdited("new")}>
            <Plus className="size-4" aria-hidden="true" />
            <Trans>New role</Trans>
          </Button>
        )}
      </div>
      {roles.isError ? (
        <FailureNotice
          what={t`The roles could not be loaded.`}
          cause={roles.error}
          onRetry={() => void roles.refetch()}
        />
      ) : roles.data === undefined ? (
        <Skeleton className="h-64 w-full rounded-card" />
      ) : (
        <RolesTable roles={roles.data} />
      )}
      {own.length > 0 && (
        <ul
          aria-label={t`Roles of this tenant`}
          className="mt-4 divide-y divide-line rounded-card border border-line bg-surface"
        >
          {own.map((role) => (
            <OwnRole
              key={role.role}
              role={role}
              mayChange={mayWrite && isGrantable(standing, toHeldRole(toNamed(role)))}
              onEdit={() => setEdited(role)}
              onDelete={() => setDeleted(role)}
            />
          ))}
        </ul>
      )}
      <RoleDialog
        tenant={tenant}
        standing={standing}
        edited={edited}
        onClose={() => setEdited(undefined)}
      />
      <DeleteRoleDialog
        tenant={tenant}
        standing={standing}
        role={deleted}
        roles={roles.data ?? []}
        onClose={() => setDeleted(undefined)}
      />
    </section>
  );
}

function RolesTable({ roles }: { roles: readonly TenantRole[] }) {
  return (
    <section
      aria-label={t`Roles compared`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what is wider than the screen.
      tabIndex={0}
      // Hidden words are placed within it, or they would widen the page.
      className="relative overflow-x-auto rounded-card border border-line bg-surface"
    >
      <table aria-label={t`What each role can do`} className="w-full border-collapse text-left">
        <thead className="border-line border-b text-ink-muted text-xs">
          <tr>
            <th scope="col" className="sticky left-0 bg-surface px-4 py-2 font-medium">
              <Trans>Can do</Trans>
            </th>
            {roles.map((role) => (
              <th
                key={role.role}
                scope="col"
                className="min-w-24 max-w-32 px-3 py-2 text-center font-medium [overflow-wrap:anywhere] max-sm:min-w-18 max-sm:px-1"
              >
                {titleRole(toNamed(role))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {ABILITIES.map(({ scope, text }) => (
            <tr key={scope}>
              <th
                scope="row"
                // On phones a third role shows in part, so that one sees that there are more.
                className="sticky left-0 min-w-52 bg-surface px-4 py-1.5 font-normal max-sm:min-w-32"
              >
                {text}
              </th>
              {roles.map(({ role, scopes }) => (
                <td key={role} className="px-3 py-1.5">
                  <Mark isHeld={scopes.includes(scope)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Mark({ isHeld }: { isHeld: boolean }) {
  const Icon = isHeld ? Check : Minus;
  return (
    <span className="grid place-items-center">
      <Icon className={isHeld ? "size-4 text-ok" : "size-4 text-ink-faint"} aria-hidden="true" />
      <span className="sr-only">{isHeld ? t`Yes` : t`No`}</span>
    </span>
  );
}

type OwnRoleProps = {
  role: TenantRole;
  mayChange: boolean;
  onEdit: () => void;
  onDelete: () => void;
};

function OwnRole({ role, mayChange, onEdit, onDelete }: OwnRoleProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow basis-56">
        <p className="font-medium [overflow-wrap:anywhere]">{role.name}</p>
        <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">
          {role.description === "" ? "" : `${role.description} `}
          {toUse(role)}
        </p>
      </div>
      {mayChange && (
        <div className="flex gap-1">
          <IconButton
            label={t`Change the role ${role.name}`}
            icon={<Pencil aria-hidden="true" />}
            onClick={onEdit}
          />
          <IconButton
            label={t`Delete the role ${role.name}`}
            icon={<Trash2 aria-hidden="true" />}
            onClick={onDelete}
          />
        </div>
      )}
    </li>
  );
}

/** How many have a role, as a sentence. */
export function toUse({
  members,
  invitations,
}: Pick<TenantRole, "members" | "invitations">): string {
  const count = plural(members, {
    one: "1 member has it",
    other: `${String(members)} members have it`,
  });
  return invitations === 0
    ? `${count}.`
    : t`${count}, and ${plural(invitations, { one: "1 invitation offers", other: `${String(invitations)} invitations offer` })} it.`;
}
