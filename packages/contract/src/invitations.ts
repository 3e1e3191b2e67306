import { ROLES } from "@turnpike/domain/access/scopes";
import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { ownTenant } from "./auth.ts";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, tenantId } from "./shapes.ts";

/** How long an invitation is valid. */
export const INVITATION_DAYS = 7;
/** The most open invitations of one tenant. */
export const OPEN_INVITATIONS_MAX = 50;
/**
 * The most invitation mails within 24 hours: by one tenant, by one person in all their tenants, and to one address
 * by each of the two.
 */
export const INVITATION_MAILS_MAX = { ofTenant: 100, ofInviter: 100, toAddress: 5 } as const;

export const invitationId = z
  .string()
  .refine((value) => isId("invitation", value), {
    error: "Not the id of an invitation; it looks like ivt_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["ivt_0199f3b0c1d27a4e8f60112233445566"] });

/** Addresses that differ only in case are the same mailbox. */
const email = z.email("Not an e-mail address.").max(320).toLowerCase();

/** The secret in the link of the mail: 256 random bits in base64url. */
const invitationToken = z.string().min(1).max(100);

export const invitation = z.strictObject({
  invitationId: z.string(),
  tenantId,
  email: z.string(),
  role: z.enum(ROLES),
  createdAt: instant,
  /** Type and id of the inviting actor, such as `user:usr_…`. */
  createdBy: z.string(),
  expiresAt: instant,
});
export type Invitation = z.infer<typeof invitation>;

export const createInvitationRequest = z.strictObject({ tenantId, email, role: z.enum(ROLES) });
export type CreateInvitationRequest = z.infer<typeof createInvitationRequest>;

/** What the holder of the link may see before they have an account. */
export const invitationPreview = z.strictObject({
  tenantName: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
});
export type InvitationPreview = z.infer<typeof invitationPreview>;

const tags = ["Invitations"];

export const invitationsContract = {
  create: operation({ scope: "members:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/invitations",
      successStatus: 201,
      summary: "Invite a person by mail; replaces an open invitation of the same address",
      tags,
    })
    .input(createInvitationRequest)
    .output(invitation),
  list: operation({ scope: "members:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/invitations",
      summary: "List open invitations, newest first",
      tags,
    })
    .input(z.strictObject({ tenantId, ...pageQuery }))
    .output(pageOf(invitation)),
  revoke: operation({ scope: "members:write" })
    .route({
      method: "DELETE",
      path: "/tenants/{tenantId}/invitations/{invitationId}",
      successStatus: 204,
      summary: "Revoke an invitation",
      tags,
    })
    .input(z.strictObject({ tenantId, invitationId })),
  preview: operation({ scope: "public", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/invitations/preview",
      summary: "Get what an invitation is for",
      tags,
    })
    .input(z.strictObject({ token: invitationToken }))
    .output(invitationPreview),
  accept: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/invitations/accept",
      summary: "Accept an invitation, once, with an account of the address it was sent to",
      tags,
    })
    .input(z.strictObject({ token: invitationToken }))
    .output(z.strictObject({ tenant: ownTenant })),
};
