import { type Notification, ownPath } from "@turnpike/contract/notifications";
import type { Tx } from "@turnpike/db/client";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { toPlainLine, toPlainText } from "@turnpike/domain/text/plain-text";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { insertNotification, type NotificationRow } from "./notifications.store.ts";
import { toNotificationReply } from "./to-notification-reply.ts";

export type NotificationInput = {
  tenantId: TenantId;
  /** Left out: all members of the tenant. */
  userId?: UserId | undefined;
  /** Noun and verb, such as `usage.threshold`. */
  kind: string;
  title: string;
  body: string;
  /** A path of the console, such as `/billings`. */
  link?: string | undefined;
};

const TITLE_LENGTH_MAX = 200;
const BODY_LENGTH_MAX = 2_000;

/**
 * Notifies a tenant inside the caller's transaction (of the tenant or operator role), so only if the change itself commits. Text is
 * sanitised and cut to 200 and 2,000 characters, so it may contain names from outside.
 *
 * @throws {z.ZodError} If the link is not a path of the console.
 * @throws {AppError} `RESOURCE_NOT_FOUND` if the tenant does not exist.
 */
export async function notify(
  deps: Pick<AppServices, "clock" | "newId">,
  tx: Tx,
  input: NotificationInput,
): Promise<Notification> {
  const { tenantId } = input;
  const row: NotificationRow = {
    tenant_id: tenantId,
    notification_id: deps.newId("notification"),
    user_id: input.userId ?? null,
    kind: input.kind,
    title: toPlainLine(input.title, TITLE_LENGTH_MAX),
    body: toPlainText(input.body, BODY_LENGTH_MAX),
    link: input.link === undefined ? null : ownPath.parse(input.link),
    created_at: deps.clock.now(),
    read_at: null,
  };
  if (!(await insertNotification(tx, tenantId, row))) {
    throw resourceNotFound("tenant");
  }
  await insertChange(tx, { kind: "notification", tenantId, entityId: row.notification_id });
  return toNotificationReply(row);
}
