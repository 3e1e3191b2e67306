import { type Notification, READ_AT_ONCE_MAX } from "@turnpike/contract/notifications";
import {
  type Actor,
  assertMayInTenant,
  type CallContext,
  isTenantProgram,
} from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import {
  listNotificationRows,
  markNotificationRead,
  markNotificationsRead,
  type Reader,
} from "./notifications.store.ts";
import { toNotificationReply } from "./to-notification-reply.ts";

export type ListNotificationsInput = {
  tenantId: TenantId;
  userId?: UserId | undefined;
  unread?: boolean | undefined;
  cursor?: string | undefined;
  limit: number;
};

/**
 * Decides whose notifications an actor sees and marks: members their own and those for all, programs of the tenant those for all, and
 * operators and their programs those of the person they ask for, as that person, or everyone's.
 */
function readerOf(actor: Actor, asked: UserId | undefined): Reader {
  const name = `${actor.type}:${actor.id}`;
  if (actor.type === "user" && !actor.isOperator) {
    return { name, addressee: { userId: actor.id } };
  }
  if (isTenantProgram(actor)) {
    return { name, addressee: "none" };
  }
  return asked === undefined
    ? { name, addressee: "any" }
    : { name: `user:${asked}`, addressee: { userId: asked } };
}

/** Lists a tenant's notifications, newest first; the cursor is the id of the last one. */
export async function listNotifications(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: ListNotificationsInput,
): Promise<{ items: Notification[]; nextCursor: string | null }> {
  const { tenantId, limit } = input;
  assertMayInTenant(context.actor, "notifications:read", tenantId);
  const rows = await deps.transact.asTenant(tenantId, (tx) =>
    listNotificationRows(tx, tenantId, {
      reader: readerOf(context.actor, input.userId),
      isUnreadOnly: input.unread ?? false,
      beforeId: parseIdCursor("notification", input.cursor),
      limit: limit + 1,
    }),
  );
  const items = rows.slice(0, limit).map(toNotificationReply);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.notificationId ?? null) : null };
}

/**
 * Marks a notification as read by the actor, and by no one else. The first time counts.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` if it is missing, another tenant's or, for a member or a key, another person's.
 */
export async function markRead(
  deps: Pick<AppServices, "transact" | "clock">,
  context: CallContext,
  input: { tenantId: TenantId; notificationId: string },
): Promise<Notification> {
  const { tenantId, notificationId } = input;
  assertMayInTenant(context.actor, "notifications:write", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    const readAt = deps.clock.now();
    const row = await markNotificationRead(tx, tenantId, {
      notificationId,
      readAt,
      reader: readerOf(context.actor, undefined),
    });
    if (row === undefined) {
      throw resourceNotFound("notification");
    }
    await insertChange(tx, { kind: "notification", tenantId, entityId: notificationId });
    return toNotificationReply(row);
  });
}

/**
 * Marks notifications that the actor has not read as read by the actor, up to the newest one that was seen, at most a thousand per call.
 *
 * @returns How many were marked.
 */
export async function markAllRead(
  deps: Pick<AppServices, "transact" | "clock">,
  context: CallContext,
  input: { tenantId: TenantId; userId?: UserId | undefined; upTo: string },
): Promise<{ read: number }> {
  const { tenantId, upTo } = input;
  assertMayInTenant(context.actor, "notifications:write", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    const read = await markNotificationsRead(tx, tenantId, {
      upToId: upTo,
      readAt: deps.clock.now(),
      reader: readerOf(context.actor, input.userId),
      limit: READ_AT_ONCE_MAX,
    });
    if (read > 0) {
      await insertChange(tx, { kind: "notification", tenantId, entityId: upTo });
    }
    return { read };
  });
}
