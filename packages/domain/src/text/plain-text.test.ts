import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPlainLine, toPlainText } from "./plain-text.ts";

describe("toPlainLine", () => {
  it.each([
    ["Hi\r\nBcc: x@y", "Hi Bcc: x@y"],
    ["a\u2028b\u2029c\u0085d", "a b c d"],
    ["a\u202eb\u202cc", "abc"],
    ["\u001b[31mred", "[31mred"],
    ["half \ud800", "half \ufffd"],
    ["  plain  ", "plain"],
    ["Zürich 世界 😀", "Zürich 世界 😀"],
    ["", ""],
  ])("makes one line of %j", (text, expected) => {
    expect(toPlainLine(text, 100)).toBe(expected);
  });

  it("cuts with an ellipsis, and never through a character", () => {
    expect(toPlainLine("abcdef", 6)).toBe("abcdef");
    expect(toPlainLine("abcdefg", 6)).toBe("abcde…");
    expect(toPlainLine("abcd😀fg", 6)).toBe("abcd…");
  });

  it("leaves no control or direction mark of any text, and is stable", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 50 }), (text, max) => {
        const line = toPlainLine(text, max);
        expect(line).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}|\p{Bidi_Control}|\p{Surrogate}/u);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(toPlainLine(line, max)).toBe(line);
      }),
    );
  });
});

describe("toPlainText", () => {
  it("keeps lines and tabs, and nothing else that cannot be seen", () => {
    expect(toPlainText("a\r\n\tb\rc\u0000\u202ed", 100)).toBe("a\n\tb\ncd");
  });
});
