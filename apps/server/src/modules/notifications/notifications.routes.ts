import { implement } from "@orpc/server";
import { notificationsContract, outboxContract } from "@turnpike/contract/notifications";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { createNotification } from "./in-app/create-notification.ts";
import { listNotifications, markAllRead, markRead } from "./in-app/read-notifications.ts";
import { listOutbox } from "./mail/list-outbox.ts";

export function createNotificationsRoutes(deps: AppServices) {
  const os = implement(notificationsContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) =>
      createNotification(deps, context.call(), input),
    ),
    list: os.list.handler(({ input, context }) => listNotifications(deps, context.call(), input)),
    markAllRead: os.markAllRead.handler(({ input, context }) =>
      markAllRead(deps, context.call(), input),
    ),
    markRead: os.markRead.handler(({ input, context }) => markRead(deps, context.call(), input)),
  });
}

export function createOutboxRoutes(deps: Pick<AppServices, "transact">) {
  const os = implement(outboxContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listOutbox(deps, context.call(), input)),
  });
}
