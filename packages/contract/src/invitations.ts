import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { customRole, ownTenant } from "./auth.ts";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, plainText, roleName, tenantId } from "./shapes.ts";

/** How long an invitation is valid unless its sender says otherwise, and the longest they may choose. */
export const INVITATION_DAYS = 7;
export const INVITATION_DAYS_MAX = 30;
/** The most open invitations of one tenant. */
export const OPEN_INVITATIONS_MAX = 100;
/** The most addresses of one request. */
export const BULK_INVITATIONS_MAX = 100;
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
  role: roleName,
  /** Of a role that the tenant made itself; left out for built-in ones. */
  customRole: customRole.optional(),
  createdAt: instant,
  /** Type and id of the inviting actor, such as `user:usr_…`. */
  createdBy: z.string(),
  expiresAt: instant,
});
export type Invitation = z.infer<typeof invitation>;

/** Days until the link stops working. */
const expiresInDays = z.int().min(1).max(INVITATION_DAYS_MAX).default(INVITATION_DAYS);

export const createInvitationRequest = z.strictObject({
  tenantId,
  email,
  role: roleName,
  expiresInDays,
});
export type CreateInvitationRequest = z.input<typeof createInvitationRequest>;

/** An invitation that was just sent. */
export const sentInvitation = invitation.extend({
  /** Null where a mail server delivers the link. Without one the sender passes it on; only this answer shows it. */
  link: z.string().nullable(),
});
export type SentInvitation = z.infer<typeof sentInvitation>;

export const createInvitationsRequest = z.strictObject({
  tenantId,
  /** As they were typed or pasted: each is checked on its own. */
  emails: z
    .array(plainText(320))
    .min(1, "No addresses.")
    .max(BULK_INVITATIONS_MAX, `At most ${String(BULK_INVITATIONS_MAX)} addresses in a call.`),
  role: roleName,
  expiresInDays,
});
export type CreateInvitationsRequest = z.input<typeof createInvitationsRequest>;

export const invitationOutcome = z.strictObject({
  /** As in the request. */
  email: z.string(),
  /** Null if it was refused. */
  invitation: sentInvitation.nullable(),
  /** Why it was refused. */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});
export type InvitationOutcome = z.infer<typeof invitationOutcome>;

export const createInvitationsResponse = z.strictObject({
  sent: z.int(),
  refused: z.int(),
  /** One for each address, in the order of the request. */
  items: z.array(invitationOutcome),
});
export type CreateInvitationsResponse = z.infer<typeof createInvitationsResponse>;

/** An address as invitations store it; undefined when it is none. */
export function parseInvitedAddress(text: string): string | undefined {
  const parsed = email.safeParse(text.trim());
  return parsed.success ? parsed.data : undefined;
}

/** What the holder of the link may see before they have an account. */
export const invitationPreview = z.strictObject({
  tenantName: z.string(),
  email: z.string(),
  /** What the role is called. */
  role: z.string(),
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
    .output(sentInvitation),
  createMany: operation({ scope: "members:write", changesEach: "emails" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/invitations/bulk",
      summary: "Invite up to 100 people with one role",
      description:
        "Each address succeeds or fails on its own: one that is refused does not hold up the others.",
      tags,
    })
    .input(createInvitationsRequest)
    .output(createInvitationsResponse),
  resend: operation({ scope: "members:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/invitations/{invitationId}/resend",
      summary: "Replace an open invitation by one with a new link, the same role and as much time",
      tags,
    })
    .input(z.strictObject({ tenantId, invitationId }))
    .output(sentInvitation),
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
