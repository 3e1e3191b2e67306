import { DELIVERY_DAYS } from "@turnpike/contract/webhooks";
import type { AppServices } from "#platform/app-services.ts";
import { deleteNotificationsBefore } from "./in-app/notifications.store.ts";
import { deleteMailsBefore } from "./mail/mails.store.ts";
import { deleteDeliveriesBefore } from "./webhooks/webhook-deliveries.store.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Retention times of personal data. */
const MAIL_RETENTION_MS = 30 * DAY_MS;
const NOTIFICATION_RETENTION_MS = 180 * DAY_MS;
const DELIVERY_RETENTION_MS = DELIVERY_DAYS * DAY_MS;
/** Rows in one transaction. An endpoint may have had many deliveries. */
const DELIVERIES_AT_ONCE = 5_000;

/** Deletes mails and webhook deliveries older than 30 days, and notifications older than 180. */
export async function pruneNotifications(
  deps: Pick<AppServices, "transact" | "clock">,
): Promise<void> {
  const nowMs = deps.clock.now().getTime();
  await deps.transact.asOperator(async (tx) => {
    await deleteMailsBefore(tx, new Date(nowMs - MAIL_RETENTION_MS));
    await deleteNotificationsBefore(tx, new Date(nowMs - NOTIFICATION_RETENTION_MS));
  });
  const before = new Date(nowMs - DELIVERY_RETENTION_MS);
  let deleted = DELIVERIES_AT_ONCE;
  while (deleted === DELIVERIES_AT_ONCE) {
    deleted = await deps.transact.asOperator((tx) =>
      deleteDeliveriesBefore(tx, before, DELIVERIES_AT_ONCE),
    );
  }
}
