export { createMailTransport, type MailSettings, type MailTransport } from "./mail-transport.ts";
export { createNotificationsJobs } from "./notifications.jobs.ts";
export { createNotificationsRoutes, createOutboxRoutes } from "./notifications.routes.ts";
/** @public For the modules above: they call it in their own transactions. */
export { notify } from "./notify.ts";
export { sendMail } from "./send-mail.ts";
