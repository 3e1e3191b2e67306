import type { Tx } from "@turnpike/db/client";

/** A file of a mail. */
export type MailAttachment = {
  /** Without a folder. */
  name: string;
  mediaType: string;
  content: Uint8Array;
};

/** What a list says of an attachment. */
export type AttachmentRow = {
  mailId: string;
  /** From 1. */
  position: number;
  name: string;
  mediaType: string;
  bytes: number;
  /** False once a mail server has taken the mail. */
  isKept: boolean;
};

/** All functions here need the operator role. No other role can see the table. */
export async function insertAttachments(
  tx: Tx,
  mailId: string,
  attachments: readonly MailAttachment[],
): Promise<void> {
  for (const [index, { name, mediaType, content }] of attachments.entries()) {
    await tx`
      insert into mail_attachments (mail_id, position, name, media_type, bytes, content)
      values (${mailId}, ${index + 1}, ${name}, ${mediaType}, ${content.byteLength}, ${Buffer.from(content)})`;
  }
}

/** The attachments of mails, each mail's in order. */
export async function listAttachments(
  tx: Tx,
  mailIds: readonly string[],
): Promise<AttachmentRow[]> {
  return await tx<AttachmentRow[]>`
    select mail_id as "mailId", position, name, media_type as "mediaType", bytes, content is not null as "isKept"
    from mail_attachments where mail_id = any(${[...mailIds]}::text[])
    order by mail_id, position`;
}

/** The files of a mail that are kept, in order. */
export async function listContents(tx: Tx, mailId: string): Promise<MailAttachment[]> {
  return await tx<MailAttachment[]>`
    select name, media_type as "mediaType", content from mail_attachments
    where mail_id = ${mailId} and content is not null
    order by position`;
}

export async function findContent(
  tx: Tx,
  { mailId, position }: { mailId: string; position: number },
): Promise<MailAttachment | undefined> {
  const [row] = await tx<MailAttachment[]>`
    select name, media_type as "mediaType", content from mail_attachments
    where mail_id = ${mailId} and position = ${position} and content is not null`;
  return row;
}

/** Forgets what a mail server has taken. */
export async function eraseAttachments(tx: Tx, mailId: string): Promise<void> {
  await tx`update mail_attachments set content = null where mail_id = ${mailId}`;
}
