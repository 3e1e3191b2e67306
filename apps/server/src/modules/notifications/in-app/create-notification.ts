import type { CreateNotificationRequest, Notification } from "@turnpike/contract/notifications";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { notify } from "./notify.ts";

/**
 * Notifies a tenant on behalf of the operator. A tenant's own key may not, because members trust that notifications come from the
 * operator.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND` if the tenant does not exist.
 */
export async function createNotification(
  deps: AppServices,
  context: CallContext,
  input: CreateNotificationRequest,
): Promise<Notification> {
  assertMay(context.actor, "notifications:write");
  return await deps.transact.asOperator(async (tx) => {
    const notification = await notify(deps, tx, input);
    await writeAudit(deps, tx, context, {
      tenantId: input.tenantId,
      action: "notification.created",
      entityType: "notification",
      entityId: notification.notificationId,
      details: { kind: input.kind },
    });
    return notification;
  });
}
