import { implement } from "@orpc/server";
import { notificationsContract } from "@turnpike/contract/notifications";
import { outboxContract } from "@turnpike/contract/outbox";
import type { HttpContext } from "#http/http-context.ts";
import type { RawRoute } from "#http/raw-route.ts";
import { toAttachmentHeaders } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { createNotification } from "./in-app/create-notification.ts";
import { listNotifications, markAllRead, markRead } from "./in-app/read-notifications.ts";
import { getMailAttachment } from "./mail/get-mail-attachment.ts";
import { listOutbox } from "./mail/list-outbox.ts";
import { liftRefusal, listRefusedAddresses } from "./mail/manage-refusals.ts";
import { type PreviewMailDeps, previewMail } from "./mail/preview-mail.ts";
import { recordBounce } from "./mail/record-bounce.ts";
import { type ResendMailDeps, resendMail } from "./mail/resend-mail.ts";
import { type TestMailDeps, testMail } from "./mail/test-mail.ts";

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

export type OutboxDeps = Omit<TestMailDeps, "brandName"> & ResendMailDeps & PreviewMailDeps;

export function createOutboxRoutes(deps: OutboxDeps) {
  const os = implement(outboxContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listOutbox(deps, context.call(), input)),
    preview: os.preview.handler(({ input, context }) => previewMail(deps, context.call(), input)),
    test: os.test.handler(({ input, context }) =>
      testMail({ ...deps, brandName: deps.brand.name }, context.call(), input),
    ),
    resend: os.resend.handler(({ input, context }) => resendMail(deps, context.call(), input)),
    recordBounce: os.recordBounce.handler(({ input, context }) =>
      recordBounce(deps, context.call(), input),
    ),
    listRefusedAddresses: os.listRefusedAddresses.handler(({ input, context }) =>
      listRefusedAddresses(deps, context.call(), input),
    ),
    liftRefusal: os.liftRefusal.handler(({ input, context }) =>
      liftRefusal(deps, context.call(), input),
    ),
  });
}

/** Files of mails, for those who read the outbox. */
export function createOutboxRawRoutes(deps: Pick<AppServices, "transact">): RawRoute[] {
  return [
    {
      method: "GET",
      path: "/v1/outbox/{mailId}/attachments/{position}",
      async handle({ res, params, context }) {
        const { content, ...file } = await getMailAttachment(deps, context.call(), {
          mailId: params["mailId"] ?? "",
          position: params["position"] ?? "",
        });
        res.writeHead(200, toAttachmentHeaders({ ...file, bytes: content.byteLength }));
        res.end(content);
      },
    },
  ];
}
