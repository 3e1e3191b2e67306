import type { Mail } from "@turnpike/contract/outbox";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { deliverMailJob } from "./deliver-mail.ts";
import { toMailReply } from "./list-outbox.ts";
import { listAttachments } from "./mail-attachments.store.ts";
import { findMail, type MailRow, requeueMail } from "./mails.store.ts";
import { findRefusedAddress } from "./refused-addresses.store.ts";
import type { MailBrand } from "./write-html.ts";

export type ResendMailDeps = Pick<AppServices, "transact" | "clock" | "newId"> & {
  jobs: JobQueue;
  brand: MailBrand;
};

function cannot(publicMessage: string): AppError {
  return new AppError({ code: "CONFLICT", publicMessage });
}

function explainState({ state, body }: MailRow): string {
  if (state === "queued") {
    return "The mail waits to be sent already.";
  }
  return body === null
    ? "A mail server took the mail, and its text was erased: repeat what sent it, such as the invitation."
    : "The mail is kept here for want of a mail server.";
}

/**
 * Sends a mail again that failed or was held, with the same text and Message-ID. Links in it may have expired meanwhile.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND`; `CONFLICT` for a mail that left or waits, and while its address is
 *   refused.
 */
export async function resendMail(
  deps: ResendMailDeps,
  context: CallContext,
  { mailId }: { mailId: string },
): Promise<Mail> {
  assertMay(context.actor, "outbox:write");
  return await deps.transact.asOperator(async (tx) => {
    const mail = await findMail(tx, mailId);
    if (mail === undefined) {
      throw resourceNotFound("mail");
    }
    const refused = await findRefusedAddress(tx, mail.recipient);
    if (refused !== undefined && !mail.is_asked) {
      throw cannot("The address refused mail for good: lift that first.");
    }
    if (!(await requeueMail(tx, mailId))) {
      throw cannot(explainState(mail));
    }
    await deps.jobs.enqueue(deliverMailJob, { mailId }, { tx, singletonKey: mailId });
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "mail.resent",
      entityType: "mail",
      entityId: mailId,
      details: { kind: mail.kind },
    });
    return toMailReply(
      { ...mail, state: "queued", attempts: 0 },
      { attachments: await listAttachments(tx, [mailId]), brand: deps.brand },
    );
  });
}
