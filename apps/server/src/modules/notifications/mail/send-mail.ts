import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toPlainLine, toPlainText } from "@turnpike/domain/text/plain-text";
import { z } from "zod";
import type { AppServices } from "#platform/app-services.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { deliverMailJob } from "./deliver-mail.ts";
import { insertAttachments, type MailAttachment } from "./mail-attachments.store.ts";
import { countQueuedMails, insertMail } from "./mails.store.ts";

export type SendMailDeps = Pick<AppServices, "clock" | "newId"> & { jobs: JobQueue };

export type MailInput = {
  /** One address, without a name. */
  to: string;
  subject: string;
  text: string;
  /** The same as HTML, in which names from outside are escaped. Left out: the mail is plain text. */
  html?: string;
  attachments?: readonly MailAttachment[];
  /** The subject, such as `invitation`. */
  kind: string;
  /** The tenant on whose behalf it is sent. Left out for a mail of the installation itself. */
  tenantId?: TenantId;
};

const SUBJECT_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 50_000;
/** Beyond so many waiting mails, further ones of a tenant are sent in the order in which they came. */
const TURNS_MAX = 1_000;
/** A single plain address: no list, name or comment. */
const address = z.email().max(320);

/**
 * Sends a mail if and only if the caller's transaction commits. Needs the operator role, because mails belong to no tenant. Subject
 * and text are sanitised, so they may contain names from outside.
 *
 * Tenants take turns: a mail goes out after all mails before which fewer of their own tenant wait. Those of the installation
 * itself, which are limited by their recipients, do not wait for each other.
 *
 * @returns The id of the mail.
 * @throws {AppError} `INVALID_REQUEST` if `to` is not an address.
 */
export async function sendMail(
  deps: SendMailDeps,
  tx: Tx,
  input: MailInput,
): Promise<{ mailId: string }> {
  const to = address.safeParse(input.to);
  if (!to.success) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The e-mail address is not valid.",
      errors: [{ pointer: "/email", message: "Not an e-mail address." }],
    });
  }
  const mailId = deps.newId("mail");
  const sender = input.tenantId ?? "";
  const turn = sender === "" ? 0 : await countQueuedMails(tx, sender, TURNS_MAX);
  await insertMail(tx, {
    mail_id: mailId,
    kind: input.kind,
    recipient: to.data,
    subject: toPlainLine(input.subject, SUBJECT_LENGTH_MAX),
    body: toPlainText(input.text, TEXT_LENGTH_MAX),
    html: input.html ?? null,
    created_at: deps.clock.now(),
    sender,
  });
  await insertAttachments(tx, mailId, input.attachments ?? []);
  await deps.jobs.enqueue(
    deliverMailJob,
    { mailId },
    { tx, singletonKey: mailId, priority: -turn },
  );
  return { mailId };
}
