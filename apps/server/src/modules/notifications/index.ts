/** @public For modules above, which call it in their own transactions. */
export { notify } from "./in-app/notify.ts";
/** @public For modules that show what happened to their mails. */
export { findMailStates, type MailStateOf } from "./mail/find-mail-states.ts";
export type { MailAttachment } from "./mail/mail-attachments.store.ts";
export type { FindMailLogo } from "./mail/mail-logo.ts";
export {
  createMailTransport,
  type MailSettings,
  type MailTransport,
  verifyMailServer,
} from "./mail/mail-transport.ts";
export { sendMail } from "./mail/send-mail.ts";
export { testMail } from "./mail/test-mail.ts";
export { noticesOfPerson } from "./notices-of-person.store.ts";
export { noticesOfTenant } from "./notices-of-tenant.store.ts";
export { createNotificationsJobs } from "./notifications.jobs.ts";
export type { WebhookNotices } from "./notifications.ports.ts";
export {
  createNotificationsRoutes,
  createOutboxRawRoutes,
  createOutboxRoutes,
} from "./notifications.routes.ts";
export {
  listDeliveries,
  replayDeliveries,
  testWebhook,
} from "./webhooks/manage-deliveries.ts";
export {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type WebhooksDeps,
} from "./webhooks/manage-webhooks.ts";
export { type PausedWebhook, pauseWebhooksOf } from "./webhooks/pause-webhooks.ts";
export { type PublishedEvent, publishEvent, publishEvents } from "./webhooks/publish-event.ts";
export type { WebhookOwner } from "./webhooks/webhook-owner.ts";
export { startWebhookPump } from "./webhooks/webhook-pump.ts";
export { createOperatorWebhooksRoutes, createWebhooksRoutes } from "./webhooks/webhooks.routes.ts";
