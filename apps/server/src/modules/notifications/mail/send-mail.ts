import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type MailContent, mapTexts, toMailText } from "@turnpike/domain/mail/mail-content";
import type { Language } from "@turnpike/domain/text/languages";
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
  /** What it says. Its text and its HTML are written from it. */
  content: MailContent;
  attachments?: readonly MailAttachment[];
  /** The subject, such as `invitation`. */
  kind: string;
  /** The tenant on whose behalf it is sent. Left out for a mail of the installation itself. */
  tenantId?: TenantId;
  /** The id of what it is about, such as an invitation. */
  about?: string;
  /**
   * True for a mail that its recipient asked for, and waits for. It is also sent to an address that refused an earlier one, so that
   * no refusal locks a person out; who may cause such mails limits how many.
   */
  isAsked?: boolean;
  /** For a recipient who chose none, such as that of the page on which they asked. Left out: the installation's. */
  language?: Language | undefined;
};

const SUBJECT_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 50_000;
/** Beyond so many waiting mails, further ones of a tenant are sent in the order in which they came. */
const TURNS_MAX = 1_000;
/** A single plain address: no list, name or comment. */
const address = z.email().max(320);

/**
 * Sends a mail if and only if the caller's transaction commits. Needs the operator role, because mails belong to no tenant. Subject
 * and text are sanitised, so they may contain names from outside. They are English: the transport writes them in the language that
 * the recipient chose.
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
  const content = mapTexts(input.content, (text) => toPlainText(text, TEXT_LENGTH_MAX));
  const sender = input.tenantId ?? "";
  const turn = sender === "" ? 0 : await countQueuedMails(tx, sender, TURNS_MAX);
  await insertMail(tx, {
    mail_id: mailId,
    kind: input.kind,
    recipient: to.data,
    subject: toPlainLine(input.subject, SUBJECT_LENGTH_MAX),
    body: toPlainText(toMailText(content), TEXT_LENGTH_MAX),
    content,
    about: input.about ?? null,
    is_asked: input.isAsked ?? false,
    language: input.language ?? null,
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
