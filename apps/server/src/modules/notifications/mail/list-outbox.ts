import type { Mail } from "@turnpike/contract/notifications";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { listMailRows, type MailRow } from "./mails.store.ts";

function toMailReply(row: MailRow): Mail {
  return {
    mailId: row.mail_id,
    kind: row.kind,
    to: row.recipient,
    subject: row.subject,
    text: row.body,
    state: row.state,
    attempts: row.attempts,
    lastError: row.last_error,
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
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: { cursor?: string | undefined; limit: number },
): Promise<{ items: Mail[]; nextCursor: string | null }> {
  assertMay(context.actor, "outbox:read");
  const rows = await deps.transact.asOperator((tx) =>
    listMailRows(tx, { beforeId: parseIdCursor("mail", input.cursor), limit: input.limit + 1 }),
  );
  const items = rows.slice(0, input.limit).map(toMailReply);
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.mailId ?? null) : null };
}
