import { type MailContent, mapTexts, toMailText } from "@turnpike/domain/mail/mail-content";
import type { Language } from "@turnpike/domain/text/languages";
import { findTranslator } from "#platform/words/find-translator.ts";
import type { MailBrand } from "./write-html.ts";

type Written = { subject: string; text: string | null; content: MailContent | null };

/** A subject says first whose it is; the name of the brand is the same in every language. */
function splitSubject(subject: string, { name }: MailBrand): [head: string, rest: string] {
  const head = `${name}: `;
  return subject.startsWith(head) ? [head, subject.slice(head.length)] : ["", subject];
}

/**
 * Writes a mail, which is stored in English, in the language of its reader. What people wrote in it stays as it is.
 *
 * @param mail.language - Null: that of the installation.
 */
export function translateMail<Mail extends Written & { language: Language | null }>(
  mail: Mail,
  brand: MailBrand,
): Mail & { language: Language } {
  const language = mail.language ?? brand.language;
  const translator = findTranslator(language, "mail");
  if (translator === undefined) {
    return { ...mail, language };
  }
  const { translateOwn, translateValue } = translator;
  const [head, rest] = splitSubject(mail.subject, brand);
  const content =
    mail.content === null
      ? null
      : mapTexts(mail.content, (text, kind) =>
          kind === "text" ? translateOwn(text) : kind === "value" ? translateValue(text) : text,
        );
  // A mail of an earlier version is plain text alone, and the text of a sent one is erased.
  const plain = mail.text === null ? null : translateOwn(mail.text);
  return {
    ...mail,
    language,
    subject: `${head}${translateOwn(rest)}`,
    text: content === null || mail.text === null ? plain : toMailText(content),
    content,
  };
}
