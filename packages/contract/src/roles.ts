import { CUSTOM_ROLE_SCOPES, ROLES } from "@turnpike/domain/access/scopes";
import { type CustomRoleId, isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { customRole } from "./auth.ts";
import { operation } from "./operation.ts";
import { displayName, displayNote, roleName, tenantId } from "./shapes.ts";

/** The most roles that a tenant makes itself. */
export const CUSTOM_ROLES_MAX = 20;

const roleId = z
  .custom<CustomRoleId>((value) => typeof value === "string" && isId("role", value), {
    error: "Not the id of a role; it looks like rol_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ type: "string", examples: ["rol_0199f3b0c1d27a4e8f60112233445566"] });

/** Scopes that only owners have are not among them. What every role includes may be left out. */
const scopes = z
  .array(
    z.enum(CUSTOM_ROLE_SCOPES, {
      error: "Not a scope that a role may have: it is for owners alone.",
    }),
  )
  .max(CUSTOM_ROLE_SCOPES.length);

const name = displayName(60).refine(
  (value) => !(ROLES as readonly string[]).includes(value.toLowerCase()),
  "A built-in role has this name.",
);
const description = displayNote(200);

export const tenantRole = customRole.extend({
  role: roleName,
  description: z.string(),
  isCustom: z.boolean(),
  /** How many members have it, and how many open invitations offer it. */
  members: z.int(),
  invitations: z.int(),
});
export type TenantRole = z.infer<typeof tenantRole>;

const tags = ["Tenants"];

export const rolesContract = {
  list: operation({ scope: "members:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/roles",
      summary: "List the roles of a tenant with their scopes: the built-in ones, then its own",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(z.strictObject({ items: z.array(tenantRole) })),
  create: operation({ scope: "members:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/roles",
      successStatus: 201,
      summary: "Make a role of scopes that you have yourself",
      tags,
    })
    .input(z.strictObject({ tenantId, name, description: description.default(""), scopes }))
    .output(tenantRole),
  update: operation({ scope: "members:write" })
    .route({
      method: "PATCH",
      path: "/tenants/{tenantId}/roles/{roleId}",
      summary: "Change a role; its members have the new scopes at once",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        roleId,
        name: name.optional(),
        description: description.optional(),
        scopes: scopes.optional(),
      }),
    )
    .output(tenantRole),
  delete: operation({ scope: "members:write", worksWhenFull: "overdraft" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/roles/{roleId}/delete",
      successStatus: 204,
      summary: "Delete a role; one in use needs the role that takes its place",
      tags,
    })
    .input(z.strictObject({ tenantId, roleId, replacement: roleName.optional() })),
};
