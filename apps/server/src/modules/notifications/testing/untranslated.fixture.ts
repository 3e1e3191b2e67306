import { type MailContent, mapTexts } from "@turnpike/domain/mail/mail-content";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import { expect } from "vitest";
import { findTranslator } from "#platform/words/find-translator.ts";

type Mail = { subject: string; content: MailContent | null };

const translator = findTranslator("de", "mail") ?? expect.fail("no German");

function isKnown(text: string): boolean {
  return translator.translate(text) !== undefined;
}

/** Sentences of several lines are translated one by one: none may be taken for a value of another one. */
function isSplit(text: string): boolean {
  const lines = text.split("\n").map((line) => translator.translate(line) ?? line);
  return translator.translateOwn(text) === lines.join("\n");
}

/** What a mail says that has no German. What people wrote, values and addresses are left out. */
export function listUntranslated({ subject, content }: Mail): string[] {
  const said: string[] = [];
  const merged: string[] = [];
  mapTexts(content ?? [], (text, kind) => {
    if (kind === "text") {
      merged.push(...(isSplit(text) ? [] : [text]));
      said.push(...text.split("\n").filter((line) => !/^(?:https?:|$)/.test(line)));
    }
    return text;
  });
  const unknown = [...said.filter((line) => !isKnown(line)), ...merged];
  // A subject may begin with the name of the brand.
  return isKnown(subject) || isKnown(subject.replace(/^[^:]*: /, ""))
    ? unknown
    : [subject, ...unknown];
}

/** The same for all notices in the console of a database, which says them as mails do. */
export async function listUntranslatedNotices(
  sql: TestDatabase["sql"],
): Promise<{ count: number; unknown: string[] }> {
  const notices = await sql<{ title: string; body: string }[]>`
    select title, body from notifications`;
  const unknown = notices.flatMap(({ title, body }) =>
    listUntranslated({ subject: title, content: [{ kind: "paragraph", text: body }] }),
  );
  return { count: notices.length, unknown: [...new Set(unknown)] };
}

/** The same for all mails of a database. */
export async function listUntranslatedMails(
  sql: TestDatabase["sql"],
): Promise<{ count: number; unknown: string[] }> {
  const mails = await sql<Mail[]>`select subject, content from mails`;
  return { count: mails.length, unknown: [...new Set(mails.flatMap(listUntranslated))] };
}
