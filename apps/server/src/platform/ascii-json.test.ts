import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asciiJson } from "./ascii-json.ts";

describe("asciiJson", () => {
  it("is JSON of the same value, with a byte for each character", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = asciiJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(Buffer.byteLength(text)).toBe(text.length);
      }),
    );
  });

  it.each([
    ["é", '"\\u00e9"'],
    ["😀", '"\\ud83d\\ude00"'],
    ["\u2028 \u007f", '"\\u2028 \u007f"'],
    ["plain", '"plain"'],
  ])("writes %j as %s", (value, text) => {
    expect(asciiJson(value)).toBe(text);
  });
});
