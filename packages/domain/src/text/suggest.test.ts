import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { suggest, toSuggestion } from "./suggest.ts";

const KNOWN = ["stripPrefix", "url", "name", "max-concurrent", "live", "test"];

describe("suggest", () => {
  it.each([
    ["stripprefix", "stripPrefix"],
    ["strip_prefix", "stripPrefix"],
    ["stripPrefx", "stripPrefix"],
    ["srtipPrefix", "stripPrefix"],
    ["ulr", "url"],
    ["nmae", "name"],
    ["maxConcurrent", "max-concurrent"],
    ["lvie", "live"],
    ["tests", "test"],
  ])("takes %s for %s", (typed, meant) => {
    expect(suggest(typed, KNOWN)).toBe(meant);
  });

  it.each(["nonsense", "", "prefix", "x".repeat(10_000), "!"])(
    "suggests nothing for '%s'",
    (typed) => {
      expect(suggest(typed, KNOWN)).toBeUndefined();
      expect(toSuggestion(typed, KNOWN)).toBe("");
    },
  );

  it("finds every word of five characters or more that has one wrong character", () => {
    const word = fc.stringMatching(/^[a-z]{5,20}$/);
    fc.assert(
      fc.property(word, fc.nat(), (meant, position) => {
        const at = position % meant.length;
        expect(suggest(`${meant.slice(0, at)}1${meant.slice(at + 1)}`, [meant])).toBe(meant);
        expect(suggest(`${meant.slice(0, at)}1${meant.slice(at)}`, [meant])).toBe(meant);
        expect(suggest(meant.slice(0, at) + meant.slice(at + 1), [meant])).toBe(meant);
      }),
    );
  });

  it("is a sentence that follows another one", () => {
    expect(`Unknown: nmae.${toSuggestion("nmae", KNOWN)}`).toBe(
      "Unknown: nmae. Did you mean name?",
    );
  });
});
