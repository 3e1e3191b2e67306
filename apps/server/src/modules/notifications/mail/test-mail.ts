import type { MailTest } from "@turnpike/contract/outbox";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { type MailContent, toMailText } from "@turnpike/domain/mail/mail-content";
import type { Language } from "@turnpike/domain/text/languages";
import { said } from "@turnpike/domain/text/said";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { MailTransport } from "./mail-transport.ts";
import { insertMail, recordMailFailure, recordMailSent } from "./mails.store.ts";
import { noteRefusal, toFailure } from "./note-refusal.ts";
import { findReaderLanguage } from "./reader-language.store.ts";
import { deleteRefusedAddress } from "./refused-addresses.store.ts";

export type TestMailDeps = Pick<AppServices, "transact" | "clock" | "newId"> & {
  mailTransport: MailTransport;
  brandName: string;
};

/** People wait for the answer; the transport's own limits are for each step of the exchange. */
const ANSWER_TIMEOUT_MS = 30_000;

type Outcome = MailTest & { error?: unknown };

async function deliver(
  { mailTransport }: TestMailDeps,
  mail: {
    mailId: string;
    to: string;
    subject: string;
    content: MailContent;
    language: Language | null;
  },
): Promise<Outcome> {
  const { mailId, content } = mail;
  if (mailTransport.keepsText) {
    const explanation =
      "No mail server is configured: mails are kept in the outbox, and none leaves this installation.";
    return { mailId, outcome: "failed", explanation, answer: null };
  }
  try {
    const sending = mailTransport.deliver({ ...mail, text: toMailText(content), attachments: [] });
    const answer = await withTimeout(sending, ANSWER_TIMEOUT_MS);
    const explanation =
      "The mail server accepted the mail. Whether it arrives is seen in the mailbox.";
    return { mailId, outcome: "accepted", explanation, answer };
  } catch (error) {
    const { explanation, error: answer } = toFailure(error);
    return { mailId, outcome: "failed", explanation, answer, error };
  }
}

/**
 * Sends a test mail through the very transport of all mails, waits for the mail server's answer, and keeps the mail in the list of
 * what was sent. An address that refused mail is tried as well, and works again once the server takes the mail.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` unless the actor is an operator or one of their programs.
 */
export async function testMail(
  deps: TestMailDeps,
  context: CallContext,
  { to }: { to: string },
): Promise<MailTest> {
  assertMay(context.actor, "outbox:write");
  const mail = {
    mailId: deps.newId("mail"),
    to,
    language: await deps.transact.asOperator((tx) => findReaderLanguage(tx, to)),
    subject: `${deps.brandName}: ${said("test mail")}`,
    content: [
      { kind: "title", text: said("The mail server works") },
      {
        kind: "paragraph",
        text: "An operator sent this mail to test the mail server. There is nothing to do.",
      },
    ] satisfies MailContent,
  };
  const createdAt = deps.clock.now();
  const { error, ...result } = await deliver(deps, mail);
  const now = deps.clock.now();
  await deps.transact.asOperator(async (tx) => {
    await insertMail(tx, {
      mail_id: mail.mailId,
      kind: "test",
      recipient: to,
      subject: mail.subject,
      body: toMailText(mail.content),
      content: mail.content,
      about: null,
      is_asked: true,
      language: mail.language,
      created_at: createdAt,
      sender: "",
    });
    if (result.outcome === "accepted") {
      await recordMailSent(tx, mail.mailId, { sentAt: now, keepsBody: false });
      await deleteRefusedAddress(tx, to);
    } else {
      const { explanation, answer } = result;
      await recordMailFailure(tx, mail.mailId, { error: answer ?? "", explanation, isFinal: true });
      await noteRefusal(tx, { to, error, now });
    }
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "mail.tested",
      entityType: "mail",
      entityId: mail.mailId,
      details: { outcome: result.outcome },
    });
  });
  return result;
}
