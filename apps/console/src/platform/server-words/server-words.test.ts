import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { messages } from "../../locales/server/server-words-de.po";
import { toTranslator } from "./to-translator.ts";

const { translate, translateKnown } = toTranslator("de", messages);

describe("what the server says, in German", () => {
  it.each(Object.entries(ERROR_CODES))("has words for %s", (_, { title }) => {
    const german = translate(title);
    expect(german).toBeDefined();
    expect(german).not.toBe(title);
  });

  const cases: readonly [why: string, english: string, german: string][] = [
    ["a sentence", "This is your address already.", "Das ist bereits Ihre Adresse."],
    [
      "several",
      "The connection broke. No answer in time.",
      "Die Verbindung ist abgebrochen. Keine rechtzeitige Antwort.",
    ],
    [
      "a number with its separators",
      "The body may have at most 1,048,576 bytes.",
      "Der Inhalt darf höchstens 1.048.576 Bytes haben.",
    ],
    [
      "an amount and a day",
      "The invoice R-7 was due on 2026-11-20: 1,234.50 EUR is open.",
      "Die Rechnung R-7 war am 20. November 2026 fällig: 1.234,50 EUR sind offen.",
    ],
    [
      "a sentence within another",
      "Invalid value at /name: At most 100 characters.",
      "Ungültiger Wert bei /name: Höchstens 100 Zeichen.",
    ],
  ];
  it.each(cases)("translates %s", (_, english, german) => {
    expect(translate(english)).toBe(german);
  });

  it("is unknown when a sentence of it is", () => {
    expect(translate("No answer in time. The moon is full.")).toBeUndefined();
  });

  it("leaves alone what people wrote, beside what the server did", () => {
    const own = "Maintenance is not over. Use 5 of 7.";
    expect(translateKnown(own)).toBe(own);
    expect(translateKnown(`${own}\nIt is attached as PDF.`)).toBe(
      `${own}\nDas Dokument hängt als PDF an.`,
    );
  });
});

describe("a problem on a German page", () => {
  beforeEach(() => {
    vi.resetModules();
    globalThis.turnpikeLanguage = { language: "de", messages: {} };
    return () => {
      globalThis.turnpikeLanguage = undefined;
      vi.resetModules();
    };
  });

  it("reads in German, with its fields, and keeps English that is not known behind its title", async () => {
    const { loadServerWords } = await import("./server-words.ts");
    const { RequestError, toErrorMessage } = await import("../error-message.ts");
    await loadServerWords();
    const problem = (error: string) => ({
      status: 400,
      data: {
        body: {
          title: ERROR_CODES.INVALID_REQUEST.title,
          code: "INVALID_REQUEST",
          error,
          errors: [{ pointer: "/name", message: "Must not be empty." }],
        },
      },
    });
    const known = problem("Invalid value at /name: Must not be empty.");
    expect(toErrorMessage(known)).toBe("Ungültiger Wert bei /name: Darf nicht leer sein.");
    expect(new RequestError("", known).fieldErrors).toEqual([
      { pointer: "/name", message: "Darf nicht leer sein." },
    ]);
    const unknown = toErrorMessage(problem("The moon is full."));
    expect(unknown).toContain("Die Anfrage enthält ungültige Werte");
    expect(unknown).toContain("“The moon is full.”");
  });
});
