import type { Member } from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { nameOfRole, type Role, titleOfRole } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { toContent } from "@turnpike/domain/mail/mail-content";
import { toMailedName } from "@turnpike/domain/text/name-fault";
import { said } from "@turnpike/domain/text/said";
import { writeAudit } from "#modules/audit/index.ts";
import { notify, publishEvent, sendMail } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { toHeldRole } from "./held-role.ts";
import type { NotifyDeps } from "./mail-members.ts";
import { assertMayGrant } from "./member-authority.ts";
import { findMemberRow, type MemberRow, upsertMember } from "./members.store.ts";
import { settleRole } from "./settle-role.ts";
import { findTenantRow } from "./tenants.store.ts";
import { toMemberReply } from "./to-tenant-reply.ts";

export type TransferDeps = AppServices & NotifyDeps;

function refuse(pointer: string, message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer, message }],
  });
}

/**
 * Makes a member an owner; the owner who acts becomes an admin in the same moment, so that the tenant is never without one. An
 * actor of the operator changes the member alone. Both people are notified.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for the tenant or the member; `INVALID_REQUEST` for a name that does not match, and for
 *   oneself; `INSUFFICIENT_SCOPE` for all but owners.
 */
export async function transferTenant(
  deps: TransferDeps,
  context: CallContext,
  input: { tenantId: TenantId; userId: UserId; name: string },
): Promise<Member> {
  const { actor } = context;
  const { tenantId, userId } = input;
  assertMayInTenant(actor, "tenants:delete", tenantId);
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const tenant = await findTenantRow(tx, tenantId);
      if (tenant === undefined) {
        throw resourceNotFound("tenant");
      }
      // The role in the session may be a second old.
      await assertMayGrant(tx, actor, { tenantId, roles: ["owner"] });
      const next = await findMemberRow(tx, tenantId, userId);
      if (next === undefined) {
        throw resourceNotFound("member");
      }
      if (input.name !== tenant.name) {
        throw refuse("/name", "This is not the name of the tenant.");
      }
      const before =
        actor.type === "user" ? await findMemberRow(tx, tenantId, actor.id) : undefined;
      if (before?.user_id === userId) {
        throw refuse("/userId", "Choose another member: you are an owner already.");
      }
      await giveRole(deps, tx, context, { tenantId, before: next, role: "owner" });
      if (before?.role === "owner") {
        await giveRole(deps, tx, context, { tenantId, before, role: "admin" });
      }
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "tenant.transferred",
        entityType: "tenant",
        entityId: tenantId,
        details: { to: userId },
      });
      const people = [next, before].flatMap((one) => one ?? []);
      for (const person of people) {
        await tell(deps, tx, { tenantId, name: tenant.name, person, isNew: person === next });
      }
      const after = await findMemberRow(tx, tenantId, userId);
      return toMemberReply(after ?? next);
    },
    { holder: tenantId },
  );
}

async function giveRole(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  { tenantId, before, role }: { tenantId: TenantId; before: MemberRow; role: Role },
): Promise<void> {
  if (before.role === role) {
    return;
  }
  const userId = before.user_id;
  const held = toHeldRole(before);
  await upsertMember(tx, { tenantId, userId, role, now: deps.clock.now() });
  await settleRole(deps, tx, context, { tenantId, userId, before, role });
  await writeAudit(deps, tx, context, {
    tenantId,
    action: "member.role_changed",
    entityType: "member",
    entityId: userId,
    details: { role: [titleOfRole(held), role] },
  });
  await publishEvent(deps, tx, {
    tenantId,
    type: "member.role_changed",
    data: { tenantId, userId, role, before: nameOfRole(held) },
  });
}

/** In the console, and by mail at a verified address where a mail server is configured. */
async function tell(
  deps: TransferDeps,
  tx: Tx,
  input: { tenantId: TenantId; name: string; person: MemberRow; isNew: boolean },
): Promise<void> {
  const { tenantId, person, isNew } = input;
  const { sendsMail, brandName, consoleUrl } = deps.notices;
  const title = isNew ? "You are now an owner of a tenant" : "You have passed a tenant on";
  const name = toMailedName(input.name, said("a tenant"));
  const body = isNew
    ? `You decide about everything in ${name}, including who else is an owner.`
    : `You are now an admin of ${name}. If this was not you, ask the operator for help.`;
  const link = "/tenants?tab=members";
  const userId = person.user_id;
  await notify(deps, tx, { tenantId, userId, kind: "tenant.transferred", title, body, link });
  if (sendsMail && person.email !== null && person.email_verified) {
    await sendMail(deps, tx, {
      to: person.email,
      tenantId,
      kind: "tenant.transferred",
      subject: `${brandName}: ${title}`,
      content: toContent([
        body,
        ...(consoleUrl === undefined
          ? []
          : [{ label: "Open the console", address: `${consoleUrl}${link}` }]),
      ]),
    });
  }
}
