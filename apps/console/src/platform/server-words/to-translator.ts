import { type Messages, setupI18n } from "@lingui/core";
import { createTranslator, type Translator } from "@turnpike/domain/text/translate-words";

/** Makes a translator from a catalogue as the build compiles it. */
export function toTranslator(language: string, messages: Messages): Translator {
  const i18n = setupI18n({ locale: language, messages: { [language]: messages } });
  return createTranslator({
    language,
    ids: Object.keys(messages),
    fill: (id, values) => i18n._(id, { ...values }),
  });
}
