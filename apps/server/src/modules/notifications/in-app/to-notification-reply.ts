import type { Notification } from "@turnpike/contract/notifications";
import type { NotificationRow } from "./notifications.store.ts";

export function toNotificationReply(row: NotificationRow): Notification {
  return {
    notificationId: row.notification_id,
    tenantId: row.tenant_id,
    userId: row.user_id,
    kind: row.kind,
    title: row.title,
    body: row.body,
    link: row.link,
    createdAt: row.created_at.toISOString(),
    readAt: row.read_at?.toISOString() ?? null,
  };
}
