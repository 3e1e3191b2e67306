import type { Language } from "@turnpike/domain/text/languages";
import { LANGUAGE } from "@turnpike/ui/language";
import type { ApiClient } from "./api-client.ts";

/** The languages of the console, each by its own name. */
export const NAMED_LANGUAGES: readonly { tag: Language; name: string }[] = [
  { tag: "en", name: "English" },
  { tag: "de", name: "Deutsch" },
];

/** The languages that a person can change to. */
export const OTHER_LANGUAGES = NAMED_LANGUAGES.filter(({ tag }) => tag !== LANGUAGE);

const YEAR_SECONDS = 365 * 24 * 3600;

/** Chooses a language in this browser, and opens the page again in it. The server reads the cookie: it renders pages, too. */
export function chooseLanguage(tag: Language, page: Window): void {
  const secure = page.location.protocol === "https:" ? "; Secure" : "";
  page.document.cookie = `language=${tag}; Path=/; Max-Age=${String(YEAR_SECONDS)}; SameSite=Lax${secure}`;
  page.location.reload();
}

/** The same for a person who is signed in: mails to them are in it from now on. Without a network the page changes alone. */
export async function chooseOwnLanguage(
  tag: Language,
  { api, page }: { api: ApiClient; page: Window },
): Promise<void> {
  await Promise.allSettled([api.account.chooseLanguage({ language: tag })]);
  chooseLanguage(tag, page);
}
