export { createMailTransport, type MailSettings, type MailTransport } from "./mail-transport.ts";
export { createNotificationsJobs } from "./notifications.jobs.ts";
export { createNotificationsRoutes, createOutboxRoutes } from "./notifications.routes.ts";
export { type NotificationInput, notify } from "./notify.ts";
export { type MailInput, type SendMailDeps, sendMail } from "./send-mail.ts";
