import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateMessageId } from "@lingui/message-utils/generateMessageId";
import { expect, it } from "vitest";
import { messages as german } from "../locales/de.po";
import { messages as english } from "../locales/en.po";

const SOURCE = join(import.meta.dirname, "..");
/** A button with a name of its own around a text, each in one macro. */
const NAMED_BUTTON =
  /<(?:\w*Button|Link)\b(?:[^<>]|=>)*?aria-label=\{t`([^`]+)`\}(?:[^<>]|=>)*?>\s*<Trans>([^<{]+)<\/Trans>/g;

/** The message of a macro: names stay, and other expressions are numbered. */
function toMessage(macro: string): string {
  let count = 0;
  return macro
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/\$\{((?:[^{}]|\{[^}]*\})*)\}/g, (_, expression: string) => {
      if (/^\w+$/.test(expression)) {
        return `{${expression}}`;
      }
      count += 1;
      return `{${String(count - 1)}}`;
    });
}

/** What a message says, without its values, in small letters: punctuation does not count for what people say. */
function toSpoken(catalogue: Readonly<Record<string, unknown>>, macro: string): string {
  const message = toMessage(macro);
  const parts = catalogue[generateMessageId(message)] ?? expect.fail(`Not found: ${message}`);
  const texts = Array.isArray(parts) ? parts : [parts];
  return texts
    .map((part) => (typeof part === "string" ? part : "0"))
    .join("")
    .replaceAll(/[^\p{L}\d]+/gu, " ")
    .trim()
    .toLowerCase();
}

it("names buttons by what they show and more, so that they can be called by it, in each language", () => {
  const paths = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  const buttons = paths
    .filter((path) => path.endsWith(".tsx") && !path.endsWith(".test.tsx"))
    .flatMap((path) => [...readFileSync(join(SOURCE, path), "utf8").matchAll(NAMED_BUTTON)]);
  expect(buttons.length).toBeGreaterThan(15);
  const wrong = buttons.flatMap(([, name = "", shown = ""]) =>
    [english, german]
      .map((catalogue) => ({ name: toSpoken(catalogue, name), shown: toSpoken(catalogue, shown) }))
      .filter((button) => !button.name.includes(button.shown)),
  );
  expect(wrong).toEqual([]);
});
