import { type EncodedText, encodeText } from "../html-page.ts";
import { LANGUAGES, type Language } from "./samples.ts";

/** Keeps pages in their first language, which most readers read. @param render - Writes a page by its name; undefined for none. */
export function createPageCache(render: (name: string, language: Language) => string | undefined) {
  const kept = new Map<string, EncodedText>();
  return (name: string, language: Language): EncodedText | undefined => {
    const known = language === LANGUAGES[0] ? kept.get(name) : undefined;
    const text = known === undefined ? render(name, language) : undefined;
    if (text === undefined) {
      return known;
    }
    const page = encodeText(text);
    if (language === LANGUAGES[0]) {
      kept.set(name, page);
    }
    return page;
  };
}
