import { z } from "zod";
import type { AppServices } from "#platform/app-services.ts";
import { defineJob, type JobAttempt } from "#platform/define-job.ts";
import { listContents } from "./mail-attachments.store.ts";
import { MailRefusedError, type MailTransport } from "./mail-transport.ts";
import { findMail, recordMailFailure, recordMailHeld, recordMailSent } from "./mails.store.ts";
import { noteRefusal, toFailure } from "./note-refusal.ts";
import { deleteRefusedAddress, findRefusedAddress } from "./refused-addresses.store.ts";

export type DeliverMailDeps = Pick<AppServices, "transact" | "clock" | "logger"> & {
  mailTransport: MailTransport;
};

/** Eight attempts over about a day: longer than the usual maintenance of a mail server. */
export const deliverMailJob = defineJob({
  name: "mail.deliver",
  schema: z.object({ mailId: z.string() }),
  retryLimit: 7,
  retryDelaySeconds: 60,
  retryDelaySecondsMax: 6 * 60 * 60,
  // More than all timeouts of the transport together, because two attempts must not overlap.
  expireInSeconds: 10 * 60,
});

/**
 * Delivers one mail. Idempotent by its id: a sent mail is not sent again. Only a crash between the mail server's acceptance and our
 * record of it repeats a mail, with the same Message-ID.
 *
 * An address that refused a mail for good gets no further one until an operator lifts that, except mails that its owner asked for:
 * when one of those is taken, the address works again.
 *
 * @throws The transport's error, if a later attempt may succeed.
 */
export async function deliverMail(
  deps: DeliverMailDeps,
  input: { mailId: string },
  attempt: Pick<JobAttempt, "isLast">,
): Promise<void> {
  const { mailId } = input;
  const { mail, refused, attachments } = await deps.transact.asOperator(async (tx) => {
    const found = await findMail(tx, mailId);
    return {
      mail: found,
      refused: found && (await findRefusedAddress(tx, found.recipient)),
      // The outbox keeps them where they are.
      attachments: deps.mailTransport.keepsText ? [] : await listContents(tx, mailId),
    };
  });
  if (mail === undefined || mail.state !== "queued" || mail.body === null) {
    return;
  }
  if (refused !== undefined && !mail.is_asked && !deps.mailTransport.keepsText) {
    await deps.transact.asOperator((tx) => recordMailHeld(tx, mailId, refused.explanation));
    return;
  }
  const { recipient: to, subject, body: text, content, language } = mail;
  try {
    await deps.mailTransport.deliver({
      mailId,
      to,
      subject,
      text,
      content,
      language,
      attachments,
    });
  } catch (error) {
    const isFinal = attempt.isLast || error instanceof MailRefusedError;
    await deps.transact.asOperator(async (tx) => {
      await recordMailFailure(tx, mailId, { ...toFailure(error), isFinal });
      await noteRefusal(tx, { to, error, now: deps.clock.now() });
    });
    if (error instanceof MailRefusedError) {
      deps.logger.warn({ mailId, reason: error.message }, "a mail was permanently refused");
      return;
    }
    throw error;
  }
  await deps.transact.asOperator(async (tx) => {
    await recordMailSent(tx, mailId, {
      sentAt: deps.clock.now(),
      keepsBody: deps.mailTransport.keepsText,
    });
    if (refused !== undefined && !deps.mailTransport.keepsText) {
      await deleteRefusedAddress(tx, to);
    }
  });
}
