import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { z } from "zod";
import { customRole } from "./auth.ts";
import { operation } from "./operation.ts";
import {
  displayName,
  instant,
  keyId,
  pageOf,
  pageQuery,
  plainText,
  roleName,
  slug,
  tenantId,
  userId,
} from "./shapes.ts";

export const planId = z.string().regex(SLUG_PATTERN, "Lower-case letters, digits and dashes.");

export const tenant = z.strictObject({
  tenantId,
  name: z.string(),
  slug: z.string(),
  externalId: z.string().nullable(),
  planId: z.string(),
  planVersion: z.number().int(),
  periodAnchor: instant,
  suspendedAt: instant.nullable(),
  /** Why, in the operator's words; left out when they gave none and while it is not suspended. */
  suspensionReason: z.string().optional(),
  createdAt: instant,
  /** Part of the address of its logo; null when it has none. */
  logoId: z.string().nullable(),
  /** The role of the asking person in this tenant. Null for everyone else, including operators who are not members. */
  role: roleName.nullable(),
  /** Of a role that the tenant made itself; left out for built-in ones. */
  customRole: customRole.optional(),
});
export type Tenant = z.infer<typeof tenant>;

/** How many tenants one person may own, unless they are an operator. */
export const OWNED_TENANTS_MAX = 10;
/** The days in which a person may create no more tenants than they may own. Deleted tenants and those they left count too. */
export const FOUNDING_DAYS = 30;

export const createTenantRequest = z.strictObject({
  name: displayName(100),
  /** Derived from the name when left out. */
  slug: slug.optional(),
  /** For operators and their programs only. */
  externalId: plainText(200).min(1).optional(),
  /** For operators and their programs only. All others start on the default plan. */
  planId: planId.optional(),
});
export type CreateTenantRequest = z.infer<typeof createTenantRequest>;

export const updateTenantRequest = z.strictObject({
  tenantId,
  name: displayName(100).optional(),
  slug: slug.optional(),
  /** For operators and their programs only. */
  planId: planId.optional(),
  /** For operators and their programs only. */
  suspended: z.boolean().optional(),
  /** Why it is suspended, in words that its members read. For operators and their programs only; ends with the suspension. */
  suspensionReason: plainText(500).trim().min(1).optional(),
});
export type UpdateTenantRequest = z.infer<typeof updateTenantRequest>;

/** How many days a deleted tenant can be restored. Afterwards its data is removed. */
export const RESTORE_DAYS = 30;

export const deleteTenantRequest = z.strictObject({
  tenantId,
  /** The name of the tenant, typed as a confirmation. */
  name: plainText(100),
});
export type DeleteTenantRequest = z.infer<typeof deleteTenantRequest>;

export const deletedTenant = z.strictObject({
  tenantId,
  name: z.string(),
  slug: z.string(),
  externalId: z.string().nullable(),
  deletedAt: instant,
  /** Kind and id of the actor who deleted it. */
  deletedBy: z.string(),
  /** The end of the time in which it can be restored. */
  restorableUntil: instant,
  /** When its data was removed; null until then. */
  purgedAt: instant.nullable(),
});
export type DeletedTenant = z.infer<typeof deletedTenant>;

export const member = z.strictObject({
  userId,
  role: roleName,
  /** Of a role that the tenant made itself; left out for built-in ones. */
  customRole: customRole.optional(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  createdAt: instant,
});
export type Member = z.infer<typeof member>;

/** A key that still works after its creator has left. */
export const leftKey = z.strictObject({ keyId, name: z.string(), start: z.string() });
export type LeftKey = z.infer<typeof leftKey>;

/** A webhook that is paused because the member who was responsible for it is gone. */
export const pausedWebhook = z.strictObject({ webhookId: z.string(), origin: z.string() });
export type PausedWebhook = z.infer<typeof pausedWebhook>;

/** The most keys listed in the answer to the removal of a member. */
export const LEFT_KEYS_MAX = 100;

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
  name: plainText(1_000)
    .optional()
    .describe(
      "At most 200 characters are kept. A name that breaks the rules for names is left out, as at sign-in: the user keeps the name from before, or is shown by their address.",
    ),
});
export type EnsureUserRequest = z.infer<typeof ensureUserRequest>;

const tags = ["Tenants"];

export const tenantsContract = {
  create: operation({ scope: "tenants:write", openToPeople: true })
    .route({
      method: "POST",
      path: "/tenants",
      successStatus: 201,
      summary: "Create a tenant; a person becomes its owner",
      tags,
    })
    .input(createTenantRequest)
    .output(tenant),
  list: operation({ scope: "tenants:read", openToPeople: true })
    .route({
      method: "GET",
      path: "/tenants",
      summary: "List tenants, newest first: your own, or all as an operator",
      tags,
    })
    .input(
      z.strictObject({
        /** Part of the name or the slug. */
        q: plainText(100).optional(),
        /** Only the tenant with this slug, if it is in the list. */
        slug: slug.optional(),
        ...pageQuery,
      }),
    )
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
  delete: operation({ scope: "tenants:delete", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/delete",
      successStatus: 204,
      summary:
        "Delete a tenant: its keys are revoked and it is hidden from everyone; usage is kept",
      tags,
    })
    .input(deleteTenantRequest),
  listDeleted: operation({ scope: "tenants:read" })
    .route({
      method: "GET",
      path: "/deleted-tenants",
      summary: "List deleted tenants, most recently deleted first; for operators",
      tags,
    })
    .input(z.strictObject({ ...pageQuery }))
    .output(pageOf(deletedTenant)),
  restore: operation({ scope: "tenants:delete" })
    .route({
      method: "POST",
      path: "/deleted-tenants/{tenantId}/restore",
      summary: "Restore a deleted tenant within 30 days; for operators. Its keys stay revoked",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(tenant),
  listMembers: operation({ scope: "members:read" })
    .route({ method: "GET", path: "/tenants/{tenantId}/members", summary: "List members", tags })
    .input(z.strictObject({ tenantId, ...pageQuery }))
    .output(pageOf(member)),
  putMember: operation({ scope: "members:write", worksWhenFull: "overdraft" })
    .route({
      method: "PUT",
      path: "/tenants/{tenantId}/members/{userId}",
      summary: "Change a member's role; operators also add members",
      tags,
    })
    .input(z.strictObject({ tenantId, userId, role: roleName }))
    .output(member),
  removeMember: operation({ scope: "members:write" })
    .route({
      method: "DELETE",
      path: "/tenants/{tenantId}/members/{userId}",
      summary:
        "Remove a member, or leave; the answer lists which of their keys still work and which webhooks are paused",
      tags,
    })
    .input(z.strictObject({ tenantId, userId }))
    .output(
      z.strictObject({
        liveKeys: z.array(leftKey).max(LEFT_KEYS_MAX),
        pausedWebhooks: z.array(pausedWebhook),
      }),
    ),
  ensureUser: operation({ scope: "users:write" })
    .route({
      method: "POST",
      path: "/users",
      summary: "Create or update a user by issuer and subject",
      tags,
    })
    .input(ensureUserRequest)
    .output(user),
};
