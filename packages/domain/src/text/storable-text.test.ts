import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isStorableText } from "./storable-text.ts";

describe("isStorableText", () => {
  it("takes every text of whole characters without NUL", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(isStorableText(text)).toBe(text.isWellFormed() && !text.includes("\0"));
      }),
    );
  });

  it.each(["\0", "a\0b", "\ud800", "a\udc00b", "\udc00\ud800"])("refuses %j", (text) => {
    expect(isStorableText(text)).toBe(false);
  });
});
