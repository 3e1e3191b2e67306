import { type EncodedText, encodeText } from "../html-page.ts";
import type { ReferencePages } from "./reference-pages.ts";
import { LANGUAGES, type Language } from "./samples.ts";

/** Pages in their first language, which most readers keep. */
export function createPageCache(pages: ReferencePages) {
  const kept = new Map<string, EncodedText>();
  return (name: string, language: Language): EncodedText | undefined => {
    const known = language === LANGUAGES[0] ? kept.get(name) : undefined;
    const text = known === undefined ? pages.render(name, language) : undefined;
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
