import type { JsonValue, Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { type HeldRole, nameOfRole, titleOfRole } from "@turnpike/domain/access/scopes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { toHeldRole } from "./held-role.ts";
import { findMemberRow, type MemberRow, upsertMember } from "./members.store.ts";
import { settleRole } from "./settle-role.ts";

/**
 * Makes a user a member, or gives a member another role, with what depends on it. The caller holds the tenant's lock, in a transaction
 * of the operator role, and has decided that the role may be given.
 *
 * @param input.before - The member as they are; undefined for a new one.
 * @param input.details - For the audit trail, besides the role.
 * @returns The member as they are now.
 * @throws {AppError} `RESOURCE_NOT_FOUND` when there is no such user.
 */
export async function assignRole(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: {
    tenantId: TenantId;
    userId: UserId;
    before: MemberRow | undefined;
    role: HeldRole;
    details?: Record<string, JsonValue>;
  },
): Promise<MemberRow> {
  const { tenantId, userId, before } = input;
  const role = nameOfRole(input.role);
  const isUser = await upsertMember(tx, { tenantId, userId, role, now: deps.clock.now() });
  const after = isUser ? await findMemberRow(tx, tenantId, userId) : undefined;
  if (after === undefined) {
    throw resourceNotFound("user");
  }
  const pausedWebhooks = await settleRole(deps, tx, context, {
    ...{ tenantId, userId, before },
    role: input.role,
  });
  await writeAudit(deps, tx, context, {
    tenantId,
    action: before === undefined ? "member.added" : "member.role_changed",
    entityType: "member",
    entityId: userId,
    details: {
      role: [
        before === undefined ? null : titleOfRole(toHeldRole(before)),
        titleOfRole(input.role),
      ],
      ...(pausedWebhooks.length > 0 && {
        pausedWebhooks: pausedWebhooks.map((webhook) => webhook.webhookId),
      }),
      ...input.details,
    },
  });
  await (before === undefined
    ? publishEvent(deps, tx, {
        tenantId,
        type: "member.added",
        data: { tenantId, userId, role },
      })
    : publishEvent(deps, tx, {
        tenantId,
        type: "member.role_changed",
        data: { tenantId, userId, role, before: before.role },
      }));
  return after;
}
