import type { Mail } from "@turnpike/contract/outbox";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { type AttachmentRow, listAttachments } from "./mail-attachments.store.ts";
import { listMailRows, type MailFilter, type MailRow } from "./mails.store.ts";
import { translateMail } from "./translate-mail.ts";
import type { MailBrand } from "./write-html.ts";

/** As it is sent: in the language of its reader. */
export function toMailReply(
  row: MailRow,
  { attachments, brand }: { attachments: readonly AttachmentRow[]; brand: MailBrand },
): Mail {
  const { subject, text } = translateMail({ ...row, text: row.body }, brand);
  return {
    mailId: row.mail_id,
    kind: row.kind,
    to: row.recipient,
    subject,
    text,
    attachments: attachments
      .filter(({ mailId }) => mailId === row.mail_id)
      .map(({ mailId: _, ...attachment }) => attachment),
    state: row.state,
    attempts: row.attempts,
    lastError: row.last_error,
    explanation: row.explanation,
    createdAt: row.created_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
  };
}

/**
 * Lists mails, newest first; the cursor is the id of the last one.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` unless the actor is an operator or one of their programs.
 */
export async function listOutbox(
  deps: Pick<AppServices, "transact"> & { brand: MailBrand },
  context: CallContext,
  input: MailFilter & { cursor?: string | undefined; limit: number },
): Promise<{ items: Mail[]; nextCursor: string | null }> {
  assertMay(context.actor, "outbox:read");
  const { rows, attachments } = await deps.transact.asOperator(async (tx) => {
    const beforeId = parseIdCursor("mail", input.cursor);
    const found = await listMailRows(tx, { ...input, beforeId, limit: input.limit + 1 });
    const mailIds = found.map(({ mail_id }) => mail_id);
    return { rows: found, attachments: await listAttachments(tx, mailIds) };
  });
  const items = rows
    .slice(0, input.limit)
    .map((row) => toMailReply(row, { attachments, brand: deps.brand }));
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.mailId ?? null) : null };
}
