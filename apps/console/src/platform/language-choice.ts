import { LANGUAGE } from "@turnpike/ui/language";

/** The languages of the console, each by its own name. */
const LANGUAGES = [
  { tag: "en", name: "English" },
  { tag: "de", name: "Deutsch" },
] as const;

export type LanguageTag = (typeof LANGUAGES)[number]["tag"];

/** The languages that a person can change to. */
export const OTHER_LANGUAGES = LANGUAGES.filter(({ tag }) => tag !== LANGUAGE);

const YEAR_SECONDS = 365 * 24 * 3600;

/** Chooses a language in this browser, and opens the page again in it. The server reads the cookie: it renders pages, too. */
export function chooseLanguage(tag: LanguageTag, page: Window): void {
  const secure = page.location.protocol === "https:" ? "; Secure" : "";
  page.document.cookie = `language=${tag}; Path=/; Max-Age=${String(YEAR_SECONDS)}; SameSite=Lax${secure}`;
  page.location.reload();
}
