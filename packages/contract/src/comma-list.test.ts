import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commaList, wordList } from "./comma-list.ts";

const texts = commaList({ countMax: 5, expected: "a text", parse: (text) => text });

function write(values: readonly string[]): string {
  return values.map((value) => value.replaceAll(/[\\,]/g, (sign) => `\\${sign}`)).join(",");
}

describe("commaList", () => {
  it("reads back every list it has written, with commas and backslashes", () => {
    const unit = fc.constantFrom("a", ",", "\\", " ", "\n", "é", "😀");
    const values = fc.uniqueArray(fc.string({ unit }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(values, (list) => {
        expect(texts.parse(write(list))).toEqual(list);
      }),
    );
  });

  it.each([
    ["a,b,a", '"a" is listed twice.'],
    ["a,b,c,d,e,f", "At most 5 values."],
    ["x".repeat(10_001), "At most 10000 characters."],
  ])("refuses %s and says why", (text, message) => {
    expect(texts.safeParse(text).error?.issues[0]?.message).toBe(message);
  });
});

describe("wordList", () => {
  const words = wordList(["up", "down"]);

  it("names the allowed words, and repeats only the start of a wrong value", () => {
    const message = words.safeParse(`up,${"x".repeat(500)}`).error?.issues[0]?.message;
    expect(message).toMatch(/^"x{40}…" is not one of up, down\.$/);
  });

  it.each(["", "up,", " up", "Up", "constructor", "__proto__", "up;drop table"])(
    "refuses %j",
    (text) => {
      expect(words.safeParse(text).success).toBe(false);
    },
  );

  it("reads the empty text as an empty list only where that is allowed", () => {
    expect(wordList(["up"], { canBeEmpty: true }).parse("")).toEqual([]);
    expect(wordList(["up", ""]).parse("")).toEqual([""]);
  });
});
