import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPasswordProblem, normalizePassword } from "./password-rules.ts";

const RULES = { email: "ada.lovelace@example.test", lengthMin: 12 };

describe("a new password", () => {
  it.each([
    "violet harbour seven",
    "correct horse battery",
    "xkcd-936-is-not-enough",
    "Zürich geht früh schlafen",
    "夜の海に浮かぶ小さな灯台の光",
    "🐳🐢🦀🐙🦑🐠🐡🦈🐬🐋🦐🦞",
    "7f3K9qLmZx2P",
    "I passed words to Ada",
  ])("may be %j", (password) => {
    expect(findPasswordProblem(password, RULES)).toBeUndefined();
  });

  it.each([
    ["a letter again and again", "aaaaaaaaaaaa"],
    ["two letters again and again", "abababababab"],
    ["digits in a row", "123456789012"],
    ["digits in a row, backwards", "987654321098"],
    ["letters in a row", "abcdefghijkl"],
    ["a row of keys", "qwertyuiopas"],
    ["keys in columns", "1qaz2wsx3edc"],
    ["a common word with a year", "Password2026!"],
    ["a common word in disguise", "P@ssw0rd!!!!"],
    ["a common word twice", "passwordpassword"],
    ["a common phrase", "iloveyousomuch"],
    ["the product's name", "turnpike123456"],
    ["the address", "ada.lovelace@example.test"],
    ["the name in the address", "Ada.Lovelace!"],
  ])("is refused when it is %s", (_why, password) => {
    expect(findPasswordProblem(password, RULES)).toBeDefined();
  });

  it("must not be shorter than the minimum nor longer than the maximum, in characters rather than bytes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("ä", "🐳", "x", "7", "界"), { maxLength: 300 }),
        (text) => {
          const problem = findPasswordProblem(text.join(""), RULES);
          if (text.length < 12) {
            expect(problem).toContain("at least 12");
          } else if (text.length > 256) {
            expect(problem).toContain("at most 256");
          } else {
            expect(problem ?? "").not.toMatch(/at (least|most)/);
          }
        },
      ),
    );
  });

  it("is checked without an error, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (password) => {
        expect(() => findPasswordProblem(password, RULES)).not.toThrow();
      }),
    );
  });

  it("is the same text in every Unicode composition", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(normalizePassword(text.normalize("NFD"))).toBe(normalizePassword(text));
      }),
    );
  });
});
