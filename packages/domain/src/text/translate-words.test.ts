import { describe, expect, it } from "vitest";
import { createTranslator } from "./translate-words.ts";

const GERMAN: Readonly<Record<string, string>> = {
  "{0} rose to {1} an hour.": "{0}: Anstieg auf {1} pro Stunde.",
  "{0}% of the change comes from {1}.": "{0} % der Änderung entfallen auf {1}.",
  "The plan {0} is archived.": "Der Tarif {0} ist archiviert.",
  "Not yet. Ask again later.": "Noch nicht. Fragen Sie später.",
};
const { translateKnown } = createTranslator({
  language: "de",
  ids: Object.keys(GERMAN),
  fill: (id, values) =>
    (GERMAN[id] ?? id).replaceAll(/\{(\d)\}/g, (_, place: string) => values[Number(place)] ?? ""),
});

describe("createTranslator", () => {
  it("translates each of several sentences, also one that begins with a number", () => {
    expect(
      translateKnown("Calls rose to 1,200 an hour. 80.5% of the change comes from /v1/search."),
    ).toBe("Calls: Anstieg auf 1.200 pro Stunde. 80,5 % der Änderung entfallen auf /v1/search.");
  });

  it("takes sentences that are one message together, and a name with a full stop for a name", () => {
    expect(translateKnown("Not yet. Ask again later.")).toBe("Noch nicht. Fragen Sie später.");
    expect(translateKnown("The plan Acme Inc. Berlin is archived.")).toBe(
      "Der Tarif Acme Inc. Berlin ist archiviert.",
    );
  });
});
