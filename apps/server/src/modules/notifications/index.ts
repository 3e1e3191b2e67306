export { createMailTransport, type MailSettings, type MailTransport } from "./mail-transport.ts";
export {
  listDeliveries,
  replayDeliveries,
  testWebhook,
} from "./manage-deliveries.ts";
export {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type WebhooksDeps,
} from "./manage-webhooks.ts";
export { noticesOfTenant } from "./notices-of-tenant.store.ts";
export { createNotificationsJobs } from "./notifications.jobs.ts";
export type { WebhookNotices } from "./notifications.ports.ts";
export { createNotificationsRoutes, createOutboxRoutes } from "./notifications.routes.ts";
/** @public For modules above, which call it in their own transactions. */
export { notify } from "./notify.ts";
export { publishEvent } from "./publish-event.ts";
export { sendMail } from "./send-mail.ts";
export type { WebhookOwner } from "./webhook-owner.ts";
export { startWebhookPump } from "./webhook-pump.ts";
export { createOperatorWebhooksRoutes, createWebhooksRoutes } from "./webhooks.routes.ts";
