import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { type HeldRole, ROLES } from "@turnpike/domain/access/scopes";
import { ROLE_NAMES, toHeldRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { ROLE_NOTES } from "../standing.view-model.ts";
import { type TenantId, type TenantRole, tenantsQueries } from "../tenants.queries.ts";

/** A role as lists offer it. */
export type RoleOffer = { held: HeldRole; title: string; note: string };

const BUILT_IN: readonly RoleOffer[] = ROLES.map((role) => ({
  held: role,
  title: ROLE_NAMES[role],
  note: ROLE_NOTES[role],
}));

function toOffer({ role, name, scopes, description }: TenantRole): RoleOffer {
  const held = toHeldRole({ role, customRole: { name, scopes } });
  return typeof held === "string"
    ? { held, title: ROLE_NAMES[held], note: ROLE_NOTES[held] }
    : { held, title: name, note: description || t`A role of this tenant.` };
}

/** The roles of a tenant. Until its own are known, and where they cannot be loaded, the built-in ones. */
export function useRoleOffers(tenantId: TenantId): readonly RoleOffer[] {
  const { api } = usePlatform();
  const roles = useQuery(tenantsQueries.roles(api, tenantId));
  return roles.data?.map(toOffer) ?? BUILT_IN;
}
