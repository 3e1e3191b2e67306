import { describe, expect, it } from "vitest";
import { fillPlaces } from "./fill-places.ts";
import { findTranslator } from "./find-translator.ts";
import { parsePo } from "./parse-po.ts";
import { type CatalogueName, readCatalogue } from "./read-catalogue.ts";

const NAMES: readonly CatalogueName[] = ["server-words", "document-words", "answer-words"];
const listPlaces = (text: string) => [...new Set(text.match(/\{\d+\}/g))].sort();

describe("the catalogues that the server reads", () => {
  it.each(NAMES)(
    "%s has no places in its German but those of the sentence, and no plural forms",
    (name) => {
      const messages = readCatalogue(name, "de");
      expect(messages?.size).toBeGreaterThan(30);
      expect([...(messages?.values() ?? [])].join("\n")).not.toMatch(/\{\w+, (?:plural|select)/);
      for (const [id, german] of messages ?? []) {
        // German may leave one out that it says in other words.
        expect(listPlaces(id), id).toEqual(expect.arrayContaining(listPlaces(german)));
      }
      expect(readCatalogue(name, "en")).toBeUndefined();
    },
  );

  it("are read as the console's tools write them", () => {
    const text = [
      'msgid ""\nmsgstr ""\n"Language: de\\n"\n',
      '#: a.ts\nmsgid "Say \\"{0}\\"."\nmsgstr "Sagen Sie „{0}“."\n',
      'msgid ""\n"A long "\n"one."\nmsgstr ""\n"Ein "\n"langer."\n',
      'msgid "Not yet."\nmsgstr ""\n',
    ].join("\n");
    expect(Object.fromEntries(parsePo(text))).toEqual({
      'Say "{0}".': "Sagen Sie „{0}“.",
      "A long one.": "Ein langer.",
    });
  });

  it("put values where the language has them, and braces where they are text", () => {
    expect(fillPlaces("{1} vor {0}, '{'id'}'", ["a", "b"])).toBe("b vor a, {id}");
  });

  it("write days and amounts as a mail and as a document have them", () => {
    const [mail, document] = (["mail", "document"] as const).map((kind) =>
      findTranslator("de", kind),
    );
    expect(mail?.translateValue("November 29, 2026")).toBe("29. November 2026");
    expect(document?.translateValue("November 29, 2026")).toBe("29.11.2026");
    expect(mail?.translateValue("3 May at 08:00")).toBe("3. Mai, 08:00");
    expect(document?.translateValue("1234.50 EUR")).toBe("1.234,50\u00a0€");
    expect(mail?.translateOwn("Hello Ada,")).toBe("Guten Tag Ada,");
    expect(findTranslator("en", "mail")).toBeUndefined();
  });
});
