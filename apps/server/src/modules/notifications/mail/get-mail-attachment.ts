import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { findContent, type MailAttachment } from "./mail-attachments.store.ts";

const POSITION = /^[1-9]\d{0,2}$/;

/**
 * Gets a file of a mail in the outbox.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` unless the actor is an operator or one of their programs, `RESOURCE_NOT_FOUND` also once a
 *   mail server has taken the mail.
 */
export async function getMailAttachment(
  { transact }: Pick<AppServices, "transact">,
  { actor }: CallContext,
  { mailId, position: place }: { mailId: string; position: string },
): Promise<MailAttachment> {
  assertMay(actor, "outbox:read");
  const position = POSITION.test(place) ? Number(place) : undefined;
  const found =
    isId("mail", mailId) && position !== undefined
      ? await transact.asOperator((tx) => findContent(tx, { mailId, position }))
      : undefined;
  if (found === undefined) {
    throw resourceNotFound("attachment");
  }
  return found;
}
