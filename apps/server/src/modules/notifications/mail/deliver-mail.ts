import { z } from "zod";
import type { AppServices } from "#platform/app-services.ts";
import { defineJob, type JobAttempt } from "#platform/define-job.ts";
import { listContents } from "./mail-attachments.store.ts";
import { MailRefusedError, type MailTransport } from "./mail-transport.ts";
import { findMail, recordMailFailure, recordMailSent } from "./mails.store.ts";

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
 * @throws The transport's error, if a later attempt may succeed.
 */
export async function deliverMail(
  deps: DeliverMailDeps,
  input: { mailId: string },
  attempt: Pick<JobAttempt, "isLast">,
): Promise<void> {
  const { mailId } = input;
  const { mail, attachments } = await deps.transact.asOperator(async (tx) => ({
    mail: await findMail(tx, mailId),
    // The outbox keeps them where they are.
    attachments: deps.mailTransport.keepsText ? [] : await listContents(tx, mailId),
  }));
  if (mail === undefined || mail.state !== "queued" || mail.body === null) {
    return;
  }
  const { recipient: to, subject, body: text, html } = mail;
  try {
    await deps.mailTransport.deliver({ mailId, to, subject, text, html, attachments });
  } catch (error) {
    const isFinal = attempt.isLast || error instanceof MailRefusedError;
    await deps.transact.asOperator((tx) =>
      recordMailFailure(tx, mailId, {
        error: error instanceof Error ? error.message : String(error),
        isFinal,
      }),
    );
    if (error instanceof MailRefusedError) {
      deps.logger.warn({ mailId, reason: error.message }, "a mail was permanently refused");
      return;
    }
    throw error;
  }
  await deps.transact.asOperator((tx) =>
    recordMailSent(tx, mailId, {
      sentAt: deps.clock.now(),
      keepsBody: deps.mailTransport.keepsText,
    }),
  );
}
