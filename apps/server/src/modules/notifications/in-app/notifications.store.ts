import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type NotificationRow = {
  tenant_id: TenantId;
  notification_id: string;
  user_id: string | null;
  kind: string;
  title: string;
  body: string;
  link: string | null;
  created_at: Date;
  read_at: Date | null;
};

const COLUMNS = [
  "tenant_id",
  "notification_id",
  "user_id",
  "kind",
  "title",
  "body",
  "link",
  "created_at",
  "read_at",
] as const;

/** @returns False if the tenant does not exist. */
export async function insertNotification(
  tx: Tx,
  tenantId: TenantId,
  row: NotificationRow,
): Promise<boolean> {
  const rows = await tx`
    insert into notifications (tenant_id, notification_id, user_id, kind, title, body, link, created_at)
    select tenant_id, ${row.notification_id}, ${row.user_id}, ${row.kind}, ${row.title}, ${row.body}, ${row.link},
      ${row.created_at}::timestamptz
    from tenants where tenant_id = ${tenantId}
    returning notification_id`;
  return rows.length === 1;
}

export async function listNotificationRows(
  tx: Tx,
  tenantId: TenantId,
  page: {
    userId: string | undefined;
    isUnreadOnly: boolean;
    beforeId: string | undefined;
    limit: number;
  },
): Promise<NotificationRow[]> {
  const { userId = null, beforeId = null } = page;
  return await tx<NotificationRow[]>`
    select ${tx(COLUMNS)} from notifications
    where tenant_id = ${tenantId}
      and (${userId}::text is null or user_id is null or user_id = ${userId})
      and (not ${page.isUnreadOnly}::boolean or read_at is null)
      and (${beforeId}::text is null or notification_id < ${beforeId})
    order by notification_id desc
    limit ${page.limit}`;
}

/**
 * Sets the read time unless it is already set.
 *
 * @param input.userId - Only a notification for this user or for all members; left out, any.
 * @returns The current row; `undefined` if there is none.
 */
export async function markNotificationRead(
  tx: Tx,
  tenantId: TenantId,
  input: { notificationId: string; readAt: Date; userId?: string | undefined },
): Promise<NotificationRow | undefined> {
  const { userId = null } = input;
  const [row] = await tx<NotificationRow[]>`
    update notifications set read_at = coalesce(read_at, ${input.readAt})
    where tenant_id = ${tenantId} and notification_id = ${input.notificationId}
      and (${userId}::text is null or user_id is null or user_id = ${userId})
    returning ${tx(COLUMNS)}`;
  return row;
}

/**
 * Sets the read time of unread notifications up to a given one, newest first.
 *
 * @param input.userId - As for {@link markNotificationRead}.
 * @returns How many were marked.
 */
export async function markNotificationsRead(
  tx: Tx,
  tenantId: TenantId,
  input: { upToId: string; readAt: Date; userId: string | undefined; limit: number },
): Promise<number> {
  const { userId = null } = input;
  const result = await tx`
    update notifications n set read_at = ${input.readAt}
    from (
      select notification_id from notifications
      where tenant_id = ${tenantId} and notification_id <= ${input.upToId} and read_at is null
        and (${userId}::text is null or user_id is null or user_id = ${userId})
      order by notification_id desc
      limit ${input.limit}
      for update
    ) unread
    where n.tenant_id = ${tenantId} and n.notification_id = unread.notification_id`;
  return result.count;
}

/** Of all tenants. Needs the operator role. @returns How many were deleted. */
export async function deleteNotificationsBefore(tx: Tx, before: Date): Promise<number> {
  const result = await tx`delete from notifications where created_at < ${before}`;
  return result.count;
}
