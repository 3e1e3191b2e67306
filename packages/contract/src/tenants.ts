import { ROLES } from "@turnpike/domain/access/scopes";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, pageOf, pageQuery, plainText, tenantId, userId } from "./shapes.ts";

const planId = z.string().regex(SLUG_PATTERN, "Lower-case letters, digits and dashes.");
const slug = z
  .string()
  .regex(SLUG_PATTERN, "Lower-case letters, digits and dashes, starting with a letter.");

export const tenant = z.strictObject({
  tenantId,
  name: z.string(),
  slug: z.string(),
  externalId: z.string().nullable(),
  planId: z.string(),
  planVersion: z.number().int(),
  periodAnchor: instant,
  suspendedAt: instant.nullable(),
  createdAt: instant,
});
export type Tenant = z.infer<typeof tenant>;

export const createTenantRequest = z.strictObject({
  name: displayText(100),
  /** Made from the name when left out. */
  slug: slug.optional(),
  externalId: plainText(200).min(1).optional(),
  planId: planId.optional(),
});
export type CreateTenantRequest = z.infer<typeof createTenantRequest>;

export const updateTenantRequest = z.strictObject({
  tenantId,
  name: displayText(100).optional(),
  slug: slug.optional(),
  planId: planId.optional(),
  suspended: z.boolean().optional(),
});
export type UpdateTenantRequest = z.infer<typeof updateTenantRequest>;

export const member = z.strictObject({
  userId,
  role: z.enum(ROLES),
  email: z.string().nullable(),
  name: z.string().nullable(),
  createdAt: instant,
});
export type Member = z.infer<typeof member>;

export const user = z.strictObject({
  userId,
  issuer: z.string(),
  subject: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
});

export const ensureUserRequest = z.strictObject({
  issuer: z.url().max(500).refine(isStorableText, "Must not contain NUL or broken characters."),
  subject: plainText(255).min(1),
  email: z.email().max(320).optional(),
  name: displayText(200).optional(),
});
export type EnsureUserRequest = z.infer<typeof ensureUserRequest>;

export const auditEntry = z.strictObject({
  auditId: z.string(),
  occurredAt: instant,
  actorType: z.string(),
  actorId: z.string(),
  action: z.string(),
  entityType: z.string(),
  entityId: z.string(),
  requestId: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});

const tags = ["Tenants"];

export const tenantsContract = {
  create: operation({ scope: "tenants:write" })
    .route({
      method: "POST",
      path: "/tenants",
      successStatus: 201,
      summary: "Create a tenant",
      tags,
    })
    .input(createTenantRequest)
    .output(tenant),
  list: operation({ scope: "tenants:read" })
    .route({ method: "GET", path: "/tenants", summary: "List tenants", tags })
    .input(z.strictObject({ ...pageQuery }))
    .output(pageOf(tenant)),
  get: operation({ scope: "tenants:read" })
    .route({ method: "GET", path: "/tenants/{tenantId}", summary: "Get a tenant", tags })
    .input(z.strictObject({ tenantId }))
    .output(tenant),
  update: operation({ scope: "tenants:write" })
    .route({
      method: "PATCH",
      path: "/tenants/{tenantId}",
      summary: "Change a tenant's name, slug, plan or suspension",
      tags,
    })
    .input(updateTenantRequest)
    .output(tenant),
  listMembers: operation({ scope: "members:read" })
    .route({ method: "GET", path: "/tenants/{tenantId}/members", summary: "List members", tags })
    .input(z.strictObject({ tenantId, ...pageQuery }))
    .output(pageOf(member)),
  putMember: operation({ scope: "members:write" })
    .route({
      method: "PUT",
      path: "/tenants/{tenantId}/members/{userId}",
      summary: "Add a member or change a role",
      tags,
    })
    .input(z.strictObject({ tenantId, userId, role: z.enum(ROLES) }))
    .output(member),
  removeMember: operation({ scope: "members:write" })
    .route({
      method: "DELETE",
      path: "/tenants/{tenantId}/members/{userId}",
      successStatus: 204,
      summary: "Remove a member",
      tags,
    })
    .input(z.strictObject({ tenantId, userId })),
  ensureUser: operation({ scope: "users:write" })
    .route({
      method: "POST",
      path: "/users",
      summary: "Create or update a user by issuer and subject",
      tags,
    })
    .input(ensureUserRequest)
    .output(user),
  listAudit: operation({ scope: "audit:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/audit",
      summary: "List audit entries",
      tags,
    })
    .input(z.strictObject({ tenantId, ...pageQuery }))
    .output(pageOf(auditEntry)),
};
