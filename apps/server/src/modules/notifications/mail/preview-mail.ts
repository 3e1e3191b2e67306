import type { MailPreview } from "@turnpike/contract/outbox";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import type { FindMailLogo } from "./mail-logo.ts";
import { findMail } from "./mails.store.ts";
import { translateMail } from "./translate-mail.ts";
import { type MailBrand, writeHtml } from "./write-html.ts";

export type PreviewMailDeps = Pick<AppServices, "transact"> & {
  brand: MailBrand;
  findLogo: FindMailLogo;
};

/**
 * Writes a mail that is kept as its reader sees it, with the picture in it.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` unless the actor is an operator or one of their programs, `RESOURCE_NOT_FOUND` also once its
 *   text is erased.
 */
export async function previewMail(
  { transact, brand, findLogo }: PreviewMailDeps,
  { actor }: CallContext,
  { mailId }: { mailId: string },
): Promise<MailPreview> {
  assertMay(actor, "outbox:read");
  const mail = await transact.asOperator((tx) => findMail(tx, mailId));
  if (mail === undefined || mail.body === null) {
    throw resourceNotFound("mail");
  }
  const { subject, content, language } = translateMail({ ...mail, text: null }, brand);
  if (content === null) {
    return { html: null };
  }
  const png = await findLogo();
  const logo =
    png === undefined ? undefined : `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  return { html: writeHtml({ subject, content, language, logo }, brand) };
}
