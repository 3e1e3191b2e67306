import type { Tx } from "@turnpike/db/client";
import { eraseAttachments } from "./mail-attachments.store.ts";

export type MailState = "queued" | "sent" | "failed";

export type MailRow = {
  mail_id: string;
  kind: string;
  recipient: string;
  subject: string;
  body: string | null;
  html: string | null;
  state: MailState;
  attempts: number;
  last_error: string | null;
  created_at: Date;
  sent_at: Date | null;
};

const COLUMNS = [
  "mail_id",
  "kind",
  "recipient",
  "subject",
  "body",
  "html",
  "state",
  "attempts",
  "last_error",
  "created_at",
  "sent_at",
] as const;

/** All functions here need the operator role. No other role can see the table. */
export async function insertMail(
  tx: Tx,
  row: Pick<
    MailRow,
    "mail_id" | "kind" | "recipient" | "subject" | "body" | "html" | "created_at"
  > & {
    sender: string;
  },
): Promise<void> {
  await tx`
    insert into mails (mail_id, kind, recipient, subject, body, html, state, created_at, sender)
    values (${row.mail_id}, ${row.kind}, ${row.recipient}, ${row.subject}, ${row.body}, ${row.html}, 'queued',
      ${row.created_at}, ${row.sender})`;
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
    set state = 'sent', attempts = attempts + 1, last_error = null, sent_at = ${input.sentAt},
      body = case when ${input.keepsBody}::boolean then body end,
      html = case when ${input.keepsBody}::boolean then html end
    where mail_id = ${mailId} and state <> 'sent'`;
  if (!input.keepsBody) {
    await eraseAttachments(tx, mailId);
  }
}

export async function recordMailFailure(
  tx: Tx,
  mailId: string,
  input: { error: string; isFinal: boolean },
): Promise<void> {
  await tx`
    update mails
    set attempts = attempts + 1, last_error = ${input.error},
      state = case when ${input.isFinal}::boolean then 'failed' else 'queued' end
    where mail_id = ${mailId} and state <> 'sent'`;
}

export async function listMailRows(
  tx: Tx,
  page: { beforeId: string | undefined; limit: number },
): Promise<MailRow[]> {
  const { beforeId = null } = page;
  return await tx<MailRow[]>`
    select ${tx(COLUMNS)} from mails
    where ${beforeId}::text is null or mail_id < ${beforeId}
    order by mail_id desc
    limit ${page.limit}`;
}

/** @returns How many were deleted. */
export async function deleteMailsBefore(tx: Tx, before: Date): Promise<number> {
  const result = await tx`delete from mails where created_at < ${before}`;
  return result.count;
}
