import {
  INVITATION_MAILS_MAX,
  OPEN_INVITATIONS_MAX,
  type SentInvitation,
} from "@turnpike/contract/invitations";
import type { Tx } from "@turnpike/db/client";
import type { Actor, CallContext } from "@turnpike/domain/access/actor";
import { type HeldRole, type RoleName, titleOfRole } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type MailContent, toContent } from "@turnpike/domain/mail/mail-content";
import type { Language } from "@turnpike/domain/text/languages";
import { toMailedName } from "@turnpike/domain/text/name-fault";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { said } from "@turnpike/domain/text/said";
import { writeAudit } from "#modules/audit/index.ts";
import { findUserEmail, findUserLanguage } from "#modules/identity/index.ts";
import { publishEvent, sendMail } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { getHeldRole } from "./find-role.ts";
import { hashInvitationToken } from "./hash-invitation-token.ts";
import { countInvitations, type InvitationRow, insertInvitation } from "./invitations.store.ts";
import { assertMayGrant } from "./member-authority.ts";
import { hasMemberWithEmail, lockUser } from "./members.store.ts";
import { findTenantRow } from "./tenants.store.ts";
import { toInvitationReply } from "./to-invitation-reply.ts";
import { withdrawInvitationTo } from "./withdraw-invitations.ts";

export type InvitationsDeps = AppServices & {
  jobs: JobQueue;
  /** False without a mail server: the sender then gets the link, to pass it on. */
  sendsMail: boolean;
  /** Address of the console, without a trailing slash. Links in mails use no other. */
  consoleUrl: string;
  brandName: string;
};

const TOKEN_BYTES = 32;
const DAY_MS = 24 * 60 * 60 * 1_000;
const NAME_LENGTH_MAX = 100;

function tooMany(message: string, retryAfterSeconds: number): AppError {
  return new AppError({
    code: "TOO_MANY_INVITATIONS",
    publicMessage: message,
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

function toCreatedBy({ type, id }: Actor): string {
  return `${type}:${id}`;
}

/** Keeps invitations from being used to flood a mailbox. The caller holds the tenant's lock. */
async function assertWithinLimits(
  tx: Tx,
  tenantId: TenantId,
  input: { email: string; actor: Actor; now: Date },
): Promise<void> {
  const { actor, email, now } = input;
  // Operators and their programs invite on behalf of many. For a person the limit spans all their tenants.
  const isBoundPerson = actor.type === "user" && !actor.isOperator;
  if (isBoundPerson) {
    await lockUser(tx, actor.id);
  }
  const since = new Date(now.getTime() - DAY_MS);
  const createdBy = toCreatedBy(actor);
  const counts = await countInvitations(tx, tenantId, { email, createdBy, now, since });
  if (counts.open >= OPEN_INVITATIONS_MAX) {
    const message = `A tenant can have ${String(OPEN_INVITATIONS_MAX)} open invitations. Revoke some, or wait until they are accepted.`;
    throw tooMany(message, DAY_MS / 1_000);
  }
  if (
    counts.ofTenant >= INVITATION_MAILS_MAX.ofTenant ||
    counts.ofTenantToAddress >= INVITATION_MAILS_MAX.toAddress ||
    (isBoundPerson &&
      (counts.ofInviter >= INVITATION_MAILS_MAX.ofInviter ||
        counts.ofInviterToAddress >= INVITATION_MAILS_MAX.toAddress))
  ) {
    throw tooMany("Too many invitations were sent today. Try again tomorrow.", DAY_MS / 1_000);
  }
}

/** An operator would join by it, and stay when the session in which they act is over. */
async function assertNotOwnAddress(tx: Tx, actor: Actor, email: string): Promise<void> {
  if (actor.type !== "user" || !actor.isOperator) {
    return;
  }
  const own = await findUserEmail(tx, actor.id);
  if (own?.toLowerCase() === email) {
    const message = "This is your own address: one of the tenant's owners can invite you.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/email", message }],
    });
  }
}

function toMail(input: {
  tenantName: string;
  brandName: string;
  role: string;
  link: string;
  days: number;
}): MailContent {
  const within =
    input.days === 1 ? said("within one day") : said(`within ${String(input.days)} days`);
  return toContent([
    `You are invited to ${input.tenantName} on ${input.brandName}, with the role ${input.role}.`,
    said("Accept the invitation here:"),
    { label: "Accept the invitation", address: input.link },
    `The link works once, ${within}, and only with an account of this e-mail address.`,
    "If you do not know the sender, ignore this mail. No one can join in your name without the link.",
  ]);
}

export type InvitationInput = {
  tenantId: TenantId;
  /** Lower case. */
  email: string;
  role: RoleName;
  expiresInDays: number;
};

/**
 * Sends an invitation, in a transaction of the operator role that holds the tenant's lock. It replaces an open invitation to the
 * same address, whose link stops working. The token is in the mail, and in the reply when no mail is delivered; the database
 * holds a hash.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for a role above the actor's own; `ALREADY_EXISTS` for a
 *   member's address; `TOO_MANY_INVITATIONS`.
 */
export async function sendInvitation(
  deps: InvitationsDeps,
  tx: Tx,
  context: CallContext,
  input: InvitationInput,
): Promise<SentInvitation> {
  const { tenantId, email, role } = input;
  const held = await getHeldRole(tx, tenantId, role);
  await assertMayGrant(tx, context.actor, { tenantId, roles: [held] });
  const now = deps.clock.now();
  await assertWithinLimits(tx, tenantId, { email, actor: context.actor, now });
  await assertNotOwnAddress(tx, context.actor, email);
  if (await hasMemberWithEmail(tx, tenantId, email)) {
    const message = "A member of the tenant has this address already.";
    throw new AppError({
      code: "ALREADY_EXISTS",
      publicMessage: message,
      errors: [{ pointer: "/email", message }],
    });
  }
  await withdrawInvitationTo(deps, tx, context, { tenantId, email });
  const token = Buffer.from(deps.randomBytes(TOKEN_BYTES)).toString("base64url");
  const row: InvitationRow = {
    tenant_id: tenantId,
    invitation_id: deps.newId("invitation"),
    email,
    role,
    created_at: now,
    created_by: toCreatedBy(context.actor),
    expires_at: new Date(now.getTime() + input.expiresInDays * DAY_MS),
  };
  await insertInvitation(tx, { ...row, token_hash: hashInvitationToken(token) });
  await writeAudit(deps, tx, context, {
    tenantId,
    action: "invitation.created",
    entityType: "invitation",
    entityId: row.invitation_id,
    details: { email, role: titleOfRole(held) },
  });
  await publishEvent(deps, tx, {
    tenantId,
    type: "invitation.created",
    data: { tenantId, invitationId: row.invitation_id, email, role },
  });
  const link = `${deps.consoleUrl}/register#invitation=${token}`;
  const { actor } = context;
  const language =
    actor.type === "user" ? await findUserLanguage(tx, { userId: actor.id }) : undefined;
  await mailInvitation(deps, tx, { row, held, link, days: input.expiresInDays, language });
  return { ...toInvitationReply(row, held), link: deps.sendsMail ? null : link };
}

async function mailInvitation(
  deps: InvitationsDeps,
  tx: Tx,
  input: {
    row: InvitationRow;
    held: HeldRole;
    link: string;
    days: number;
    /** Of who invites. */
    language: Language | undefined;
  },
): Promise<void> {
  const { row, held, link, days, language } = input;
  const tenant = await findTenantRow(tx, row.tenant_id);
  if (tenant === undefined) {
    throw resourceNotFound("tenant");
  }
  // A name from before the rules for names could pose as text or as a link of the mail.
  const tenantName = toPlainLine(toMailedName(tenant.name, said("a tenant")), NAME_LENGTH_MAX);
  const role = toPlainLine(
    toMailedName(titleOfRole(held), said("that the tenant made")),
    NAME_LENGTH_MAX,
  );
  await sendMail(deps, tx, {
    to: row.email,
    tenantId: row.tenant_id,
    kind: "invitation",
    subject: `You are invited on ${deps.brandName}`,
    about: row.invitation_id,
    language,
    content: toMail({ tenantName, brandName: deps.brandName, role, link, days }),
  });
}
