/** One quoted line of an entry, which are JSON strings as far as our tools write them. */
const ENTRY = /^msgid (?<id>".*"(?:\n".*")*)\nmsgstr (?<translation>".*"(?:\n".*")*)/gm;

function unquote(lines: string): string {
  return lines
    .split("\n")
    .map((line) => JSON.parse(line) as string)
    .join("");
}

/**
 * Reads a catalogue of gettext as the tools of the console write it: without plural forms and contexts.
 *
 * @returns Translations by message. Those that are not translated, and the head, are left out.
 */
export function parsePo(text: string): Map<string, string> {
  const messages = new Map<string, string>();
  for (const { groups } of text.matchAll(ENTRY)) {
    const id = unquote(groups?.["id"] ?? '""');
    const translation = unquote(groups?.["translation"] ?? '""');
    if (id !== "" && translation !== "") {
      messages.set(id, translation);
    }
  }
  return messages;
}
