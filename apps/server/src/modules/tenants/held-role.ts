import type { customRole } from "@turnpike/contract/auth";
import {
  type HeldRole,
  nameOfRole,
  ROLES,
  type Role,
  type RoleName,
  SCOPES,
  type Scope,
} from "@turnpike/domain/access/scopes";
import type { z } from "zod";

/** A role as rows hold it; what the tenant gave it is null for built-in ones. */
export type RoleColumns = {
  role: RoleName;
  role_title: string | null;
  role_scopes: string[] | null;
};

export function isBuiltIn(role: RoleName): role is Role {
  return (ROLES as readonly string[]).includes(role);
}

/** A role of the tenant's own that is not there gives nothing. */
export function toHeldRole({ role, role_title, role_scopes }: RoleColumns): HeldRole {
  return isBuiltIn(role)
    ? role
    : {
        roleId: role,
        name: role_title ?? "",
        scopes: SCOPES.filter((scope) => role_scopes?.includes(scope)),
      };
}

/** A role in replies. */
export function toRoleReply(role: HeldRole): {
  role: RoleName;
  customRole?: z.infer<typeof customRole>;
} {
  return typeof role === "string"
    ? { role }
    : {
        role: nameOfRole(role),
        customRole: { name: role.name, scopes: [...role.scopes] as Scope[] },
      };
}
