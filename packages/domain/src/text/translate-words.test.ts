import { describe, expect, it } from "vitest";
import { createTranslator } from "./translate-words.ts";

const GERMAN: Readonly<Record<string, string>> = {
  "{0} rose to {1} an hour.": "{0}: Anstieg auf {1} pro Stunde.",
  "{0}% of the change comes from {1}.": "{0} % der Änderung entfallen auf {1}.",
  "The plan {0} is archived.": "Der Tarif {0} ist archiviert.",
  "Not yet. Ask again later.": "Noch nicht. Fragen Sie später.",
  "{0} was due on {1}.": "{0} waren am {1} fällig.",
  "{0} could not be collected: {1}": "{0} konnten nicht eingezogen werden: {1}",
  "Your card was declined.": "Ihre Karte wurde abgelehnt.",
  "Pay it in the console.": "Zahlen Sie in der Konsole.",
  "{0} is still not {1}.": "{0} ist noch nicht {1}.",
  "Calls are refused.": "Aufrufe werden abgelehnt.",
  "Calls are refused. The reason: “{0}”": "Aufrufe werden abgelehnt. Der Grund: „{0}“",
  "You are an admin of {0} now. Ask for help.":
    "Sie sind jetzt Admin von {0}. Bitten Sie um Hilfe.",
  "{0}\nNothing is sent.": "{0}\nEs wird nichts gesendet.",
};

const { translate, translateKnown, translateOwn } = createTranslator({
  language: "de",
  ids: Object.keys(GERMAN),
  fill: (id, values) =>
    (GERMAN[id] ?? id).replaceAll(/\{(\d)\}/g, (_, place: string) => values[Number(place)] ?? ""),
});

describe("several sentences", () => {
  it.each([
    [
      "are translated one by one, and none is taken for a value of another",
      "49 USD was due on 10 November 2026. Pay it in the console.",
      "49 USD waren am 10. November 2026 fällig. Zahlen Sie in der Konsole.",
    ],
    [
      "may be the value of one before others",
      "49 USD could not be collected: Your card was declined. Pay it in the console.",
      "49 USD konnten nicht eingezogen werden: Ihre Karte wurde abgelehnt. Zahlen Sie in der Konsole.",
    ],
    [
      "are not the end of a message that has few words of its own",
      "49 USD is still not paid: it has to be. Calls are refused.",
      "49 USD ist noch nicht paid: it has to be. Aufrufe werden abgelehnt.",
    ],
    [
      "that people wrote stay as they are within quotes",
      "Calls are refused. The reason: “Two invoices are unpaid. Please answer.”",
      "Aufrufe werden abgelehnt. Der Grund: „Two invoices are unpaid. Please answer.“",
    ],
    [
      "are no more than they were for a name with a full stop",
      "You are an admin of Acme Inc. Berlin now. Ask for help.",
      "Sie sind jetzt Admin von Acme Inc. Berlin. Bitten Sie um Hilfe.",
    ],
    [
      "with an unknown one keep it",
      "Calls are refused. Something else is so. Pay it in the console.",
      "Aufrufe werden abgelehnt. Something else is so. Zahlen Sie in der Konsole.",
    ],
    [
      "on lines of their own may be one message",
      "Invoice one.\nNothing is sent.",
      "Invoice one.\nEs wird nichts gesendet.",
    ],
  ])("%s", (_, text, german) => {
    expect(translateOwn(text).replaceAll("\u00a0", " ")).toBe(german);
  });

  it("are not known as a whole while one of them is not", () => {
    expect(translate("Calls are refused. Something else is so.")).toBeUndefined();
  });

  it("are each translated, also one that begins with a number", () => {
    expect(
      translateKnown("Calls rose to 1,200 an hour. 80.5% of the change comes from /v1/search."),
    ).toBe("Calls: Anstieg auf 1.200 pro Stunde. 80,5 % der Änderung entfallen auf /v1/search.");
  });

  it("are taken together where they are one message, and a name with a full stop for a name", () => {
    expect(translateKnown("Not yet. Ask again later.")).toBe("Noch nicht. Fragen Sie später.");
    expect(translateKnown("The plan Acme Inc. Berlin is archived.")).toBe(
      "Der Tarif Acme Inc. Berlin ist archiviert.",
    );
  });
});
