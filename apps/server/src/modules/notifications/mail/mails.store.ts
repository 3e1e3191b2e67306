import type { JsonValue, Tx } from "@turnpike/db/client";
import type { MailContent } from "@turnpike/domain/mail/mail-content";
import type { Language } from "@turnpike/domain/text/languages";
import { eraseAttachments } from "./mail-attachments.store.ts";
import { languageOfReader } from "./reader-language.store.ts";

export type MailState = "queued" | "sent" | "failed" | "held" | "bounced";

export type MailRow = {
  mail_id: string;
  kind: string;
  recipient: string;
  subject: string;
  body: string | null;
  /** Null as the text, and for mails of earlier versions. */
  content: MailContent | null;
  about: string | null;
  is_asked: boolean;
  /** In which it is sent; null for that of the installation. */
  language: Language | null;
  state: MailState;
  attempts: number;
  /** In the words of the server. */
  last_error: string | null;
  /** In plain words. */
  explanation: string | null;
  created_at: Date;
  sent_at: Date | null;
};

const COLUMNS = [
  "mail_id",
  "kind",
  "recipient",
  "subject",
  "body",
  "content",
  "about",
  "is_asked",
  "language",
  "state",
  "attempts",
  "last_error",
  "explanation",
  "created_at",
  "sent_at",
] as const;

/**
 * All functions here need the operator role. No other role can see the table.
 *
 * @param row.language - For a recipient who chose none.
 */
export async function insertMail(
  tx: Tx,
  row: Pick<
    MailRow,
    | "mail_id"
    | "kind"
    | "recipient"
    | "subject"
    | "body"
    | "about"
    | "is_asked"
    | "language"
    | "created_at"
  > & {
    content: MailContent;
    sender: string;
  },
): Promise<void> {
  await tx`
    insert into mails (mail_id, kind, recipient, subject, body, content, about, is_asked, language, state, created_at, sender)
    values (${row.mail_id}, ${row.kind}, ${row.recipient}, ${row.subject}, ${row.body}, ${tx.json(row.content as JsonValue)},
      ${row.about}, ${row.is_asked}, coalesce(${languageOfReader(tx, row.recipient)}, ${row.language}), 'queued', ${row.created_at}, ${row.sender})`;
}

/** How many mails of a sender are not sent yet, at most `countMax`. */
export async function countQueuedMails(tx: Tx, sender: string, countMax: number): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from (
      select from mails where sender = ${sender} and state = 'queued' limit ${countMax}
    ) as queued`;
  return row?.count ?? 0;
}

export async function findMail(tx: Tx, mailId: string): Promise<MailRow | undefined> {
  const [row] = await tx<MailRow[]>`select ${tx(COLUMNS)} from mails where mail_id = ${mailId}`;
  return row;
}

export async function recordMailSent(
  tx: Tx,
  mailId: string,
  input: { sentAt: Date; keepsBody: boolean },
): Promise<void> {
  await tx`
    update mails
    set state = 'sent', attempts = attempts + 1, last_error = null, explanation = null, sent_at = ${input.sentAt},
      body = case when ${input.keepsBody}::boolean then body end,
      content = case when ${input.keepsBody}::boolean then content end
    where mail_id = ${mailId} and state <> 'sent'`;
  if (!input.keepsBody) {
    await eraseAttachments(tx, mailId);
  }
}

export async function recordMailFailure(
  tx: Tx,
  mailId: string,
  input: { error: string; explanation: string; isFinal: boolean },
): Promise<void> {
  await tx`
    update mails
    set attempts = attempts + 1, last_error = ${input.error}, explanation = ${input.explanation},
      state = case when ${input.isFinal}::boolean then 'failed' else 'queued' end
    where mail_id = ${mailId} and state <> 'sent'`;
}

/** Keeps a mail that its address would refuse again. */
export async function recordMailHeld(tx: Tx, mailId: string, explanation: string): Promise<void> {
  await tx`
    update mails set state = 'held', explanation = ${explanation}
    where mail_id = ${mailId} and state = 'queued'`;
}

/** @returns The recipient of a mail that a server had taken; undefined for another one. */
export async function recordMailBounced(
  tx: Tx,
  mailId: string,
  input: { error: string; explanation: string },
): Promise<string | undefined> {
  const [row] = await tx<{ recipient: string }[]>`
    update mails set state = 'bounced', last_error = ${input.error}, explanation = ${input.explanation}
    where mail_id = ${mailId} and state = 'sent'
    returning recipient`;
  return row?.recipient;
}

/** Puts a mail that did not leave back to the start. @returns False when it has left, waits or is not kept. */
export async function requeueMail(tx: Tx, mailId: string): Promise<boolean> {
  const rows = await tx`
    update mails set state = 'queued', attempts = 0
    where mail_id = ${mailId} and state in ('failed', 'held') and body is not null
    returning 1`;
  return rows.length > 0;
}

export type MailFilter = {
  state?: MailState | undefined;
  kind?: string | undefined;
  /** Part of the recipient. */
  to?: string | undefined;
};

/** Takes the signs of a pattern literally. */
export function toPattern(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
}

export async function listMailRows(
  tx: Tx,
  page: MailFilter & { beforeId: string | undefined; limit: number },
): Promise<MailRow[]> {
  const { beforeId = null, state, kind, to } = page;
  return await tx<MailRow[]>`
    select ${tx(COLUMNS)} from mails
    where (${beforeId}::text is null or mail_id < ${beforeId})
      ${state === undefined ? tx`` : tx`and state = ${state}`}
      ${kind === undefined ? tx`` : tx`and kind = ${kind}`}
      ${to === undefined ? tx`` : tx`and recipient ilike ${toPattern(to)}`}
    order by mail_id desc
    limit ${page.limit}`;
}

/** What happened to the newest mail about each of these; those of which no mail is kept are left out. */
export async function listNewestAbout(
  tx: Tx,
  about: readonly string[],
): Promise<Pick<MailRow, "mail_id" | "about" | "state" | "explanation">[]> {
  return await tx<Pick<MailRow, "mail_id" | "about" | "state" | "explanation">[]>`
    select distinct on (about) mail_id, about, state, explanation from mails
    where about = any(${[...about]}::text[])
    order by about, mail_id desc`;
}

/** @returns How many were deleted. */
export async function deleteMailsBefore(tx: Tx, before: Date): Promise<number> {
  const result = await tx`delete from mails where created_at < ${before}`;
  return result.count;
}
